import type { Zone } from 'luxon';
import { DAY_MS, HOUR_MS } from '@app/common';
import { QUARTER_HOUR_MS, startOfLocalDay, toLocalDay, toWallTime } from './local-time.js';

/** Intervals from the shortest to the longest. */
export const INTERVALS = ['hour', 'day', 'week', 'month'] as const;
export type Interval = (typeof INTERVALS)[number];

export const MAX_BUCKETS = 5_000;

/** 1970-01-01 was a Thursday. */
const DAYS_FROM_MONDAY_TO_EPOCH = 3;

const toMonday = (day: number): number => day - ((((day + DAYS_FROM_MONDAY_TO_EPOCH) % 7) + 7) % 7);

const toFirstOfMonth = (day: number, months = 0): number => {
  const date = new Date(day * DAY_MS);
  return Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + months) / DAY_MS;
};

const isFullHour = (zone: Zone, instant: number): boolean => toWallTime(zone, instant) % HOUR_MS === 0;

/** The instant at which the bucket of an instant begins. */
export function floorToBucket(zone: Zone, interval: Interval, instant: number): number {
  const day = toLocalDay(zone, instant);
  switch (interval) {
    case 'hour': {
      let edge = Math.floor(instant / QUARTER_HOUR_MS) * QUARTER_HOUR_MS;
      while (!isFullHour(zone, edge)) edge -= QUARTER_HOUR_MS;
      return edge;
    }
    case 'day':
      return startOfLocalDay(zone, day);
    case 'week':
      return startOfLocalDay(zone, toMonday(day));
    case 'month':
      return startOfLocalDay(zone, toFirstOfMonth(day));
  }
}

/** The instant at which the bucket that begins at an edge ends. */
function nextEdge(zone: Zone, interval: Interval, edge: number): number {
  switch (interval) {
    case 'hour': {
      // A bucket has half an hour more where clocks change by half an hour.
      let next = edge + HOUR_MS;
      while (!isFullHour(zone, next)) next += QUARTER_HOUR_MS;
      return next;
    }
    case 'day':
      return startOfLocalDay(zone, toLocalDay(zone, edge) + 1);
    case 'week':
      return startOfLocalDay(zone, toLocalDay(zone, edge) + 7);
    case 'month':
      return startOfLocalDay(zone, toFirstOfMonth(toLocalDay(zone, edge), 1));
  }
}

/**
 * The edges of the buckets that cover a range, in milliseconds since 1970: one more than there are buckets.
 * @returns undefined where there are more than MAX_BUCKETS buckets
 */
export function listBucketEdges(
  zone: Zone,
  interval: Interval,
  begin: number,
  end: number,
): number[] | undefined {
  const edges = [floorToBucket(zone, interval, begin)];
  for (let edge = edges[0] ?? begin; edge < end;) {
    if (edges.length > MAX_BUCKETS) return undefined;
    edge = nextEdge(zone, interval, edge);
    edges.push(edge);
  }
  return edges;
}
