import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { toCalendarMonth } from './calendar-month.js';

describe('toCalendarMonth', () => {
  it('toCalendarMonth: contains the time, and the next month starts at its end with the next number', () => {
    const times = fc.integer({ min: 0, max: Date.UTC(2200, 0) });
    fc.assert(
      fc.property(times, (nowMs) => {
        const { name, number, startMs, endMs } = toCalendarMonth(nowMs);
        expect(startMs <= nowMs && nowMs < endMs).toBe(true);
        expect(new Date(startMs).toISOString()).toBe(`${name}-01T00:00:00.000Z`);
        expect(toCalendarMonth(endMs)).toMatchObject({ number: number + 1, startMs: endMs });
      }),
    );
  });
});
