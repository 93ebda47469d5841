import { DAY_MS, HOUR_MS, MINUTE_MS } from '@app/common';
import { REPORT_RANGES, type ReportRange } from '@app/dto';
import { DateTime, type DurationLikeObject, type Zone } from 'luxon';
import { QUARTER_HOUR_MS, startOfLocalDay } from './local-time.js';
import { invalidTimeParameter } from './time.errors.js';

/** The names of common ranges, all of which end now. */
const NAMED_RANGES: Readonly<Record<Exclude<ReportRange, 'all'>, DurationLikeObject>> = {
  '24h': { hours: 24 },
  '7d': { days: 7 },
  '30d': { days: 30 },
  '90d': { days: 90 },
  '1y': { years: 1 },
};

const EARLIEST_BEGIN = Date.UTC(2015, 0, 1);

const DURATION =
  /^P(?!$)(?:(\d{1,5})Y)?(?:(\d{1,5})M)?(?:(\d{1,5})W)?(?:(\d{1,5})D)?(?:T(?!$)(?:(\d{1,6})H)?(?:(\d{1,7})M)?(?:(\d{1,8})S)?)?$/;
const DURATION_UNITS = ['years', 'months', 'weeks', 'days', 'hours', 'minutes', 'seconds'] as const;

const DATE = /^\d{4}-\d{2}-\d{2}$/;
const DATE_TIME = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}(?::\d{2}(?:\.\d{1,3})?)?(?:Z|[+-]\d{2}:\d{2})?$/;

/** A range before it is rounded to bucket edges, in milliseconds since 1970. The end is excluded. */
export interface TimeRange {
  readonly begin: number;
  readonly end: number;
}

export interface RangeContext {
  readonly zone: Zone;
  readonly now: number;
  /** The first event of the community; undefined where there is none. */
  readonly firstEventAt: number | undefined;
}

const invalidRange = (message: string) => invalidTimeParameter('range', message);

/**
 * Parses a range: a name, `all`, an ISO 8601 duration back from now, or an ISO 8601 interval of two dates or date-times.
 * @throws AppError 400
 */
export function parseRange(text: string, context: RangeContext): TimeRange {
  const range = parseUnchecked(text, context);
  if (range.begin < EARLIEST_BEGIN) throw invalidRange('must not begin before 2015-01-01T00:00Z');
  if (range.end <= range.begin) throw invalidRange('must end after its begin');
  return range;
}

const isNamedRange = (text: string): text is keyof typeof NAMED_RANGES => Object.hasOwn(NAMED_RANGES, text);

function parseUnchecked(text: string, context: RangeContext): TimeRange {
  const { now, firstEventAt = now } = context;
  // A community whose first event is this very moment has one bucket, too.
  if (text === 'all') return { begin: Math.min(Math.max(firstEventAt, EARLIEST_BEGIN), now - 1), end: now };
  const duration = isNamedRange(text) ? NAMED_RANGES[text] : parseDuration(text);
  if (duration) return { begin: goBack(duration, context), end: now };
  const [begin, end, ...more] = text.split('/');
  if (begin === undefined || end === undefined || more.length > 0)
    throw invalidRange(
      `must be ${REPORT_RANGES.join(', ')}, an ISO 8601 duration (P2W) or an ISO 8601 interval (2026-01-01/2026-02-01)`,
    );
  return { begin: parseInstant(begin, context.zone), end: parseInstant(end, context.zone) };
}

function parseDuration(text: string): DurationLikeObject | undefined {
  const parts = DURATION.exec(text)?.slice(1);
  return (
    parts && Object.fromEntries(DURATION_UNITS.map((unit, index) => [unit, Number(parts[index] ?? '0')]))
  );
}

/** Days and longer are those of the calendar: a day before a change of the clock has 23 or 25 hours. */
function goBack(duration: DurationLikeObject, { now, zone }: RangeContext): number {
  const begin = DateTime.fromMillis(now, { zone }).minus(duration);
  // The begin is before the years that dates can have.
  return begin.isValid ? begin.toMillis() : EARLIEST_BEGIN - 1;
}

function parseInstant(text: string, zone: Zone): number {
  const isDate = DATE.test(text);
  const parsed =
    isDate || DATE_TIME.test(text) ? DateTime.fromISO(text, { zone: isDate ? 'utc' : zone }) : undefined;
  if (!parsed?.isValid)
    throw invalidRange(`"${text}" is no date or date-time of ISO 8601; write the + of an offset as %2B`);
  if (isDate) return startOfLocalDay(zone, parsed.toMillis() / DAY_MS);
  const instant = parsed.toMillis();
  if (instant % QUARTER_HOUR_MS !== 0) throw invalidRange('must begin and end on a quarter of an hour');
  return /(?:Z|[+-]\d{2}:\d{2})$/.test(text) ? instant : toEarlier(zone, instant);
}

/** A clock that is set back shows the same time twice: without an offset the first one is meant. */
function toEarlier(zone: Zone, instant: number): number {
  for (const earlier of [instant - 2 * HOUR_MS, instant - HOUR_MS, instant - 2 * QUARTER_HOUR_MS])
    if (zone.offset(earlier) - zone.offset(instant) === (instant - earlier) / MINUTE_MS) return earlier;
  return instant;
}
