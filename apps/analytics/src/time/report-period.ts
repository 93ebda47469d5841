import { DAY_MS, HOUR_MS } from '@app/common';
import { LRUCache } from 'lru-cache';
import { DateTime, type DurationLikeObject, FixedOffsetZone, IANAZone, type Zone } from 'luxon';
import { DEFAULT_REPORT_RANGE } from '@app/dto';
import { QUARTER_HOUR_MS, startOfLocalDay, toLocalDay, toWallTime } from './local-time.js';
import { parseRange, type TimeRange } from './parse-range.js';
import { invalidTimeParameter } from './time.errors.js';

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
function floorToBucket(zone: Zone, interval: Interval, instant: number): number {
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
function listBucketEdges(zone: Zone, interval: Interval, begin: number, end: number): number[] | undefined {
  const edges = [floorToBucket(zone, interval, begin)];
  for (let edge = edges[0] ?? begin; edge < end;) {
    if (edges.length > MAX_BUCKETS) return undefined;
    edge = nextEdge(zone, interval, edge);
    edges.push(edge);
  }
  return edges;
}

/** The buckets of a range. */
interface Buckets {
  /** The edges of the buckets, in milliseconds since 1970, ascending: one edge more than there are buckets. */
  readonly edges: readonly number[];
  /** The beginnings of the buckets, in ISO 8601 with the offset of the zone then. */
  readonly dates: readonly string[];
}

/** Bounds the memory: 136 years by day, or 10 lists of the most buckets. */
const MAX_CACHED_BUCKETS = 50_000;

const cache = new LRUCache<string, Buckets>({
  maxSize: MAX_CACHED_BUCKETS,
  sizeCalculation: ({ edges }) => edges.length,
});

/**
 * The buckets that cover a range: the same object for the same buckets, because calendar arithmetic costs more than the rest of a report,
 * and the ranges of a day are few.
 * @returns undefined where there are more than MAX_BUCKETS buckets
 */
function listBuckets(zone: Zone, interval: Interval, begin: number, end: number): Buckets | undefined {
  const [first, last] = [begin, end - 1].map((instant) => floorToBucket(zone, interval, instant));
  const key = `${zone.name} ${interval} ${first} ${last}`;
  const known = cache.get(key);
  if (known) return known;
  const edges = listBucketEdges(zone, interval, begin, end);
  if (!edges) return undefined;
  const buckets = { edges, dates: edges.slice(0, -1).map((edge) => formatEdge(zone, edge)) };
  cache.set(key, buckets);
  return buckets;
}

/** Formats an edge in ISO 8601, with the offset of the zone then. */
export function formatEdge(zone: Zone, edge: number): string {
  const text = DateTime.fromMillis(edge, { zone }).toISO({ suppressMilliseconds: true });
  if (text === null) throw new RangeError(`${edge} is no time`);
  return text;
}

/** `Area/Location` of the IANA time zone database. Abbreviations and offsets are ambiguous or ignore summer time. */
const AREA_AND_LOCATION = /^[A-Za-z][A-Za-z_]*(?:\/[A-Za-z0-9][A-Za-z0-9_+-]*){1,2}$/;

/** @throws AppError 400 for a zone that is neither `UTC` nor in the IANA time zone database */
function parseTimeZone(text = 'UTC'): Zone {
  if (text === 'UTC') return FixedOffsetZone.utcInstance;
  if (!AREA_AND_LOCATION.test(text) || !IANAZone.isValidZone(text))
    throw invalidTimeParameter('timeZone', 'must be UTC or an IANA time zone, such as Europe/Berlin');
  return IANAZone.create(text);
}

/** The parameters of a report's time, as the caller gave them. */
export interface PeriodQuery {
  readonly range?: string | undefined;
  readonly interval?: string | undefined;
  readonly timeZone?: string | undefined;
}

/** A range in buckets. */
export interface ReportPeriod extends Buckets {
  readonly zone: Zone;
  readonly interval: Interval;
}

/** The longest range that has buckets of each interval by default. */
const DEFAULT_INTERVAL_UNTIL: readonly (readonly [Interval, DurationLikeObject])[] = [
  ['hour', { days: 2 }],
  ['day', { days: 92 }],
  ['week', { years: 2 }],
];

/**
 * Rounds the begin of a range down and its end up to the edges of its buckets.
 * @throws AppError 400 that names the parameter
 */
export function createReportPeriod(
  { range: rangeText = DEFAULT_REPORT_RANGE, interval: intervalText, timeZone }: PeriodQuery,
  context: { readonly now: number; readonly firstEventAt: number | undefined },
): ReportPeriod {
  const zone = parseTimeZone(timeZone);
  const chosen = intervalText === undefined ? undefined : parseInterval(intervalText);
  const range = parseRange(rangeText, { ...context, zone });
  const interval = chosen ?? chooseInterval(range, zone);
  const buckets = listBuckets(zone, interval, range.begin, range.end);
  if (!buckets) throw tooManyBuckets(chosen, zone, range);
  return { zone, interval, ...buckets };
}

function parseInterval(text: string): Interval {
  const interval = INTERVALS.find((known) => known === text);
  if (!interval) throw invalidTimeParameter('interval', `must be one of ${INTERVALS.join(', ')}`);
  return interval;
}

function chooseInterval({ begin, end }: TimeRange, zone: Zone): Interval {
  const start = DateTime.fromMillis(begin, { zone });
  const fitting = DEFAULT_INTERVAL_UNTIL.find(([, longest]) => end <= start.plus(longest).toMillis());
  return fitting?.[0] ?? 'month';
}

function tooManyBuckets(chosen: Interval | undefined, zone: Zone, { begin, end }: TimeRange) {
  const fitting = INTERVALS.find((interval) => listBucketEdges(zone, interval, begin, end));
  const advice = fitting ? `use the interval ${fitting}` : 'use a shorter range';
  return invalidTimeParameter(
    chosen ? 'interval' : 'range',
    `would make more than ${MAX_BUCKETS} buckets: ${advice}`,
  );
}
