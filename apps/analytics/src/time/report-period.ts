import { DateTime, type DurationLikeObject, type Zone } from 'luxon';
import { type Interval, INTERVALS, listBucketEdges, MAX_BUCKETS } from './buckets.js';
import { type Buckets, listBuckets } from './list-buckets.js';
import { DEFAULT_REPORT_RANGE } from '@app/dto';
import { parseRange, type TimeRange } from './parse-range.js';
import { parseTimeZone } from './parse-time-zone.js';
import { invalidTimeParameter } from './time.errors.js';

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
