import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { type ExistingPartition, planPartitions } from './plan-partitions.js';

const DAY = 86_400_000;
const attached = (name: string): ExistingPartition => ({ name, state: 'attached' });

describe('the plan of partitions', () => {
  const now = Date.parse('2026-11-23T12:00:00Z');

  it('plan of partitions: has each month of the retention time and two months ahead', () => {
    expect(planPartitions([attached('events_2026_12')], now, 60 * DAY).missing).toEqual([
      { name: 'events_2026_09', begin: '2026-09-01T00:00:00.000Z', end: '2026-10-01T00:00:00.000Z' },
      { name: 'events_2026_10', begin: '2026-10-01T00:00:00.000Z', end: '2026-11-01T00:00:00.000Z' },
      { name: 'events_2026_11', begin: '2026-11-01T00:00:00.000Z', end: '2026-12-01T00:00:00.000Z' },
      { name: 'events_2027_01', begin: '2027-01-01T00:00:00.000Z', end: '2027-02-01T00:00:00.000Z' },
    ]);
  });

  it('plan of partitions: attaches a table that was created before an instance ended', () => {
    const { missing } = planPartitions([{ name: 'events_2027_01', state: 'detached' }], now, DAY);
    expect(missing.map(({ name }) => name)).toEqual(['events_2026_11', 'events_2026_12', 'events_2027_01']);
  });

  it('plan of partitions: removes a month a day after its last event has expired, and finishes what was begun', () => {
    const partitions: ExistingPartition[] = [
      { name: 'events_2026_07', state: 'detached' },
      { name: 'events_2026_08', state: 'detaching' },
      attached('events_2026_09'),
      attached('events_2026_10'),
    ];
    const expiredAt = (time: string) =>
      planPartitions(partitions, Date.parse(time), 30 * DAY).expired.map(({ name }) => name);
    expect(expiredAt('2026-10-31T23:59:59Z')).toEqual(['events_2026_07', 'events_2026_08']);
    expect(expiredAt('2026-11-01T00:00:00Z')).toEqual(['events_2026_07', 'events_2026_08', 'events_2026_09']);
  });

  it('plan of partitions: never removes a month that it creates, and has one for each event that is accepted', () => {
    const instant = fc.integer({ min: Date.UTC(2020, 0), max: Date.UTC(2100, 0) });
    fc.assert(
      fc.property(
        instant,
        fc.integer({ min: 1, max: 1_500 }),
        fc.double({ min: 0, max: 1, noNaN: true }),
        (time, days, share) => {
          const { missing } = planPartitions([], time, days * DAY);
          const names = missing.map(({ name }) => name);
          expect(planPartitions(names.map(attached), time, days * DAY)).toEqual({ missing: [], expired: [] });
          const at = time - share * days * DAY;
          expect(missing.some(({ begin, end }) => Date.parse(begin) <= at && at < Date.parse(end))).toBe(
            true,
          );
        },
      ),
    );
  });
});
