import { describe, expect, it } from '@jest/globals';
import { HOUR_MS } from '@app/common';
import { KeyUses, toHourMs } from './key-uses.js';

const HOUR = toHourMs(Date.UTC(2026, 10, 28, 12, 34));

const note = (uses: KeyUses, ownerId: string, count: number, prefix = ownerId): number =>
  Array.from({ length: count }, (_, index) =>
    uses.note({ keyId: `${prefix}_${index}`, ownerId }, HOUR),
  ).filter(Boolean).length;

describe('KeyUses', () => {
  it('T390: KeyUses: leaves a victim its places when nine tenants use more keys than they have places', () => {
    const uses = new KeyUses();
    for (let tenant = 0; tenant < 9; tenant += 1) expect(note(uses, `tenant_${tenant}`, 5_000)).toBe(1_000);
    expect(note(uses, 'victim', 1_000)).toBe(1_000);
    expect(note(uses, 'late', 1)).toBe(0);
  });

  it('KeyUses: reports a key once, however often it is used, in batches of one hour', () => {
    const uses = new KeyUses();
    note(uses, 'owner', 1_000);
    note(uses, 'owner', 1_000);
    note(uses, 'other', 1);
    const first = uses.peek();
    expect([first?.keyIds.length, new Set(first?.keyIds).size]).toEqual([1_000, 1_000]);
    expect(new Date(first?.hourMs ?? 0).toISOString()).toBe('2026-11-28T12:00:00.000Z');
    if (first) uses.remove(first);
    expect(uses.peek()?.keyIds).toEqual(['other_0']);
  });

  it('KeyUses: keeps what a report that failed has not delivered, and a use of the next hour', () => {
    const uses = new KeyUses();
    const key = { keyId: 'key', ownerId: 'owner' };
    uses.note(key, HOUR);
    const reported = uses.peek();
    expect(uses.peek()).toEqual(reported);
    uses.note(key, HOUR + HOUR_MS);
    if (reported) uses.remove(reported);
    expect(uses.peek()).toEqual({ keyIds: ['key'], hourMs: HOUR + HOUR_MS });
  });
});
