import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { planKeyRotation, isSigningKey, type KeyRotationPolicy, type RotatingKey } from './key-rotation.js';

type Published = RotatingKey & { publishedAt: number };

const policies = fc
  .record({
    publishAheadMs: fc.nat(50),
    overlapMs: fc.integer({ min: 1, max: 50 }),
    keepMs: fc.nat(50),
    rest: fc.nat(100),
  })
  .map(({ rest, ...policy }) => ({
    policy: { ...policy, lifetimeMs: policy.publishAheadMs + policy.overlapMs + rest },
  }));

function apply(keys: Published[], now: number, policy: KeyRotationPolicy): Published[] {
  const { remove, retire, create } = planKeyRotation(keys, now, policy);
  const left = keys
    .filter(({ kid }) => !remove.includes(kid))
    .map((key) => (create && retire.includes(key.kid) ? { ...key, signsUntil: create.othersUntil } : key));
  if (!create) return left;
  const { signsFrom } = create;
  return [...left, { kid: String(now), publishedAt: now, signsFrom, signsUntil: undefined, isOurs: true }];
}

describe('the rotation of keys', () => {
  it('publishes before it signs, overlaps, and never leaves nobody to sign', () => {
    fc.assert(
      fc.property(
        policies,
        fc.array(fc.integer({ min: 1, max: 40 }), { maxLength: 60 }),
        ({ policy }, steps) => {
          let now = 1_000;
          let keys: Published[] = apply([], now, policy);
          const first = keys[0]?.kid;
          for (const step of steps) {
            // What is in memory signs on until it is looked at again.
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

  it('lets both sign for as long as they overlap', () => {
    const policy = { lifetimeMs: 100, publishAheadMs: 10, overlapMs: 5, keepMs: 0 };
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

  it('begins anew under another secret, while the other goes on for a while and leaves', () => {
    const policy = { lifetimeMs: 100, publishAheadMs: 10, overlapMs: 20, keepMs: 0 };
    const theirs = { kid: 'theirs', publishedAt: 0, signsFrom: 0, signsUntil: undefined, isOurs: false };
    const ours = apply([theirs], 50, policy);
    expect(ours).toMatchObject([
      { kid: 'theirs', signsUntil: 70 },
      { kid: '50', signsFrom: 50, signsUntil: undefined },
    ]);
    expect(ours.filter((key) => isSigningKey(key, 50)).map(({ kid }) => kid)).toEqual(['50']);
    // Seen from the other side: nothing to do as long as it may sign.
    const seenByThem = ours.map((key) => ({ ...key, isOurs: !key.isOurs }));
    expect(apply(seenByThem, 60, policy)).toEqual(seenByThem);
    expect(apply(ours, 70, policy).map(({ kid }) => kid)).toEqual(['50']);
  });
});
