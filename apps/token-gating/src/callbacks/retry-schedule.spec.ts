import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { calculateRetryDelay } from './retry-schedule.js';

const schedule = [5_000, 300_000, 1_800_000];

describe('calculateRetryDelay', () => {
  it('calculateRetryDelay: follows the schedule within 20 % and ends with it', () => {
    const random = fc.double({ min: 0, max: 1, noNaN: true });
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 3 }), random, (attempts, at) => {
        const planned = schedule[attempts - 1] ?? 0;
        const delay = calculateRetryDelay(schedule, attempts, undefined, () => at) ?? 0;
        return delay >= planned * 0.8 - 1 && delay <= planned * 1.2 + 1;
      }),
    );
    expect(calculateRetryDelay(schedule, 4, undefined)).toBeUndefined();
  });

  it('calculateRetryDelay: waits at least for the Retry-After of the receiver', () => {
    expect(calculateRetryDelay(schedule, 1, 120_000)).toBe(120_000);
    expect(calculateRetryDelay(schedule, 2, 1, () => 0.5)).toBe(300_000);
  });
});
