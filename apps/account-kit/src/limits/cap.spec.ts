import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { toCapPeriod } from './cap.js';

const period = (kind: 'day' | 'month', at: string) => {
  const { start, end } = toCapPeriod(kind, new Date(at));
  return [start.toISOString(), end.toISOString()];
};

describe('toCapPeriod', () => {
  it.each<['day' | 'month', string, string, string]>([
    ['day', '2026-12-31T23:59:59.999Z', '2026-12-31T00:00:00.000Z', '2027-01-01T00:00:00.000Z'],
    ['day', '2027-01-01T00:00:00.000Z', '2027-01-01T00:00:00.000Z', '2027-01-02T00:00:00.000Z'],
    ['day', '2028-02-29T12:00:00+14:00', '2028-02-28T00:00:00.000Z', '2028-02-29T00:00:00.000Z'],
    ['month', '2026-12-31T23:59:59.999Z', '2026-12-01T00:00:00.000Z', '2027-01-01T00:00:00.000Z'],
    ['month', '2028-02-29T23:59:59.999Z', '2028-02-01T00:00:00.000Z', '2028-03-01T00:00:00.000Z'],
  ])('toCapPeriod: the period of a %s at %s', (kind, at, start, end) => {
    expect(period(kind, at)).toEqual([start, end]);
  });

  it('toCapPeriod: has every moment in one period, whose end begins the next one', () => {
    const moment = fc.date({ min: new Date('1970-01-01'), max: new Date('2200-01-01'), noInvalidDate: true });
    fc.assert(
      fc.property(fc.constantFrom('day', 'month'), moment, (kind, at) => {
        const { start, end } = toCapPeriod(kind, at);
        expect(start <= at && at < end).toBe(true);
        expect(toCapPeriod(kind, end).start).toEqual(end);
        expect(toCapPeriod(kind, new Date(end.getTime() - 1)).start).toEqual(start);
      }),
    );
  });
});
