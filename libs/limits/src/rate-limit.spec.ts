import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { RateLimit, SlidingWindowLog } from './rate-limit.js';

/** The definition as a reference: admit when fewer than `limit` were admitted during the last second. */
function reference(limit: number, times: number[]): { admitted: boolean; remaining: number }[] {
  const admitted: number[] = [];
  return times.map((now) => {
    const inside = admitted.filter((time) => now - time < 1_000).length;
    if (inside < limit) admitted.push(now);
    return { admitted: inside < limit, remaining: Math.max(0, limit - inside - 1) };
  });
}

describe('RateLimit', () => {
  it('SlidingWindowLog: admits what its definition admits', () => {
    const gaps = fc.array(fc.integer({ min: 0, max: 400 }), { maxLength: 200 });
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 12 }), gaps, (limit, steps) => {
        const window = new SlidingWindowLog(limit);
        let clock = 1_000_000;
        const times = steps.map((step) => (clock += step));
        const results = times
          .map((now) => window.take(now))
          .map(({ admitted, remaining }) => ({ admitted, remaining }));
        expect(results).toEqual(reference(limit, times));
      }),
    );
  });

  it('SlidingWindowLog: returns when the window has room again', () => {
    const window = new SlidingWindowLog(2);
    window.take(5_000);
    window.take(5_300);
    expect(window.take(5_400)).toEqual({ admitted: false, limit: 2, remaining: 0, resetMs: 6_000 });
    expect(window.take(6_000).admitted).toBe(true);
    expect(window.take(6_299).admitted).toBe(false);
  });

  it('RateLimit: counts a request no more that was given back within its second, and takes back no other one later', () => {
    let clock = 10_000;
    const limits = new RateLimit(() => clock);
    const first = limits.takeReturnable('a', 2);
    expect(limits.take('a', 2).admitted).toBe(true);
    expect(limits.take('a', 2).admitted).toBe(false);
    first.giveBack();
    expect(limits.take('a', 2).admitted).toBe(true);
    const refused = limits.takeReturnable('a', 2);
    expect(refused.window.admitted).toBe(false);
    refused.giveBack();
    expect(limits.take('a', 2).admitted).toBe(false);
    clock += 1_000;
    const late = limits.takeReturnable('a', 2);
    clock += 1_000;
    expect(limits.take('a', 2).admitted).toBe(true);
    expect(limits.take('a', 2).admitted).toBe(true);
    late.giveBack();
    expect(limits.take('a', 2).admitted).toBe(false);
  });

  it('RateLimit: returns a time within a second by the wall clock, whatever its own clock says', () => {
    for (const offsetMs of [-60_000, 0, 60_000]) {
      const limits = new RateLimit(() => performance.timeOrigin + performance.now() + offsetMs);
      limits.take('a', 1);
      const startMs = Date.now();
      const { resetMs } = limits.take('a', 1);
      expect(resetMs).toBeGreaterThan(startMs);
      expect(resetMs).toBeLessThanOrEqual(Date.now() + 1_000);
    }
  });

  it('RateLimit: counts each key separately and follows a changed limit', () => {
    const limits = new RateLimit(() => 1);
    expect(limits.take('a', 1).admitted).toBe(true);
    expect(limits.take('a', 1).admitted).toBe(false);
    expect(limits.take('b', 1).admitted).toBe(true);
    expect(limits.take('a', 2).admitted).toBe(true);
  });
});
