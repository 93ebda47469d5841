import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { planKeyRotation, isSigningKey, type KeyRotationPolicy, type RotatingKey } from './key-rotation.js';

type Published = RotatingKey & { publishedAt: number };

const policies = fc
  .record({
    publishAheadMs: fc.nat(50),
    overlapMs: fc.integer({ min: 1, max: 50 }),
    retentionMs: fc.nat(50),
    rest: fc.nat(100),
  })
  .map(({ rest, ...policy }) => ({
    policy: { ...policy, lifetimeMs: policy.publishAheadMs + policy.overlapMs + rest },
  }));

function apply(keys: Published[], now: number, policy: KeyRotationPolicy): Published[] {
  const { remove, retire, create } = planKeyRotation(keys, now, policy);
  const left = keys
    .filter(({ kid }) => !remove.includes(kid))
    .map((key) =>
      create && retire.includes(key.kid) ? { ...key, signsUntil: create.predecessorsSignUntil } : key,
    );
  if (!create) return left;
  const { signsFrom } = create;
  return [
    ...left,
    { kid: String(now), publishedAt: now, signsFrom, signsUntil: undefined, isDecryptable: true },
  ];
}

describe('planKeyRotation', () => {
  it('planKeyRotation: publishes keys before they sign and always has a signing key', () => {
    fc.assert(
      fc.property(
        policies,
        fc.array(fc.integer({ min: 1, max: 40 }), { maxLength: 60 }),
        ({ policy }, steps) => {
          let now = 1_000;
          let keys: Published[] = apply([], now, policy);
          const first = keys[0]?.kid;
          for (const step of steps) {
            // A replica signs with the keys that it loaded last.
            for (let at = now; at < now + step; at += 1) {
              const signing = keys.filter((key) => isSigningKey(key, at));
              expect(signing.length).toBeGreaterThan(0);
              for (const { kid, publishedAt } of signing)
                expect(kid === first || at >= publishedAt + policy.publishAheadMs).toBe(true);
            }
            now += step;
            keys = apply(keys, now, policy);
            expect(keys.filter((key) => key.signsUntil === undefined)).toHaveLength(1);
          }
        },
      ),
    );
  });

  it('planKeyRotation: lets both keys sign while they overlap', () => {
    const policy = { lifetimeMs: 100, publishAheadMs: 10, overlapMs: 5, retentionMs: 0 };
    let keys = apply([], 0, policy);
    const at = (now: number) => {
      keys = apply(keys, now, policy);
      return [keys.map(({ kid }) => kid), keys.filter((key) => isSigningKey(key, now)).map(({ kid }) => kid)];
    };
    expect(at(0)).toEqual([['0'], ['0']]);
    expect(at(89)).toEqual([['0'], ['0']]);
    expect(at(90)).toEqual([['0', '90'], ['0']]);
    expect(at(99)).toEqual([['0', '90'], ['0']]);
    expect(at(100)).toEqual([
      ['0', '90'],
      ['0', '90'],
    ]);
    expect(at(104)).toEqual([
      ['0', '90'],
      ['0', '90'],
    ]);
    expect(at(105)).toEqual([['90'], ['90']]);
  });

  it('planKeyRotation: creates a key under a new secret, and removes the old one after its overlap and retention', () => {
    const policy = { lifetimeMs: 100, publishAheadMs: 10, overlapMs: 20, retentionMs: 0 };
    const old = { kid: 'old', publishedAt: 0, signsFrom: 0, signsUntil: undefined, isDecryptable: false };
    const keys = apply([old], 50, policy);
    expect(keys).toMatchObject([
      { kid: 'old', signsUntil: 70 },
      { kid: '50', signsFrom: 50, signsUntil: undefined },
    ]);
    expect(keys.filter((key) => isSigningKey(key, 50)).map(({ kid }) => kid)).toEqual(['50']);
    // A replica with the old secret changes nothing while its key may sign.
    const seenWithOldSecret = keys.map((key) => ({ ...key, isDecryptable: !key.isDecryptable }));
    expect(apply(seenWithOldSecret, 60, policy)).toEqual(seenWithOldSecret);
    expect(apply(keys, 70, policy).map(({ kid }) => kid)).toEqual(['50']);
  });
});
