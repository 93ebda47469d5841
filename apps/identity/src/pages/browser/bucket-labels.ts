export interface PeriodOptions {
  timeZone: string;
  /** The chosen interval; empty when the server chose it. */
  interval: string;
  /** The time until which numbers are complete. */
  until: Date;
}

const HOUR_MS = 3_600_000;

const FORMATS: Record<string, Intl.DateTimeFormatOptions> = {
  hour: { day: 'numeric', month: 'short', hour: '2-digit', minute: '2-digit' },
  day: { day: 'numeric', month: 'short' },
  week: { day: 'numeric', month: 'short' },
  month: { month: 'short' },
};

/** The labels of buckets, with the year where they are in several. */
export function formatBuckets(rows: readonly { date: string }[], options: PeriodOptions): string[] {
  const { timeZone } = options;
  const dates = rows.map(({ date }) => new Date(date));
  const interval = options.interval === '' ? guessInterval(dates) : options.interval;
  const year = new Intl.DateTimeFormat('en-GB', { year: 'numeric', timeZone });
  const isInOneYear = new Set(dates.map((date) => year.format(date))).size < 2;
  const format = new Intl.DateTimeFormat('en-GB', {
    ...FORMATS[interval],
    ...(isInOneYear && interval !== 'month' ? {} : { year: 'numeric' }),
    timeZone,
  });
  return dates.map((date) => format.format(date));
}

/** The first bucket whose numbers may grow; undefined where all are complete. */
export function findPartialFrom(
  rows: readonly { date: string }[],
  { interval, until }: PeriodOptions,
): number | undefined {
  const begins = rows.map(({ date }) => new Date(date));
  const last = rows.at(-1)?.date;
  if (last === undefined) return undefined;
  const hours = countHours(interval === '' ? guessInterval(begins) : interval, last);
  const ends = [
    ...begins.slice(1).map((begin) => begin.getTime()),
    new Date(last).getTime() + hours * HOUR_MS,
  ];
  const index = ends.findIndex((end) => end > until.getTime());
  return index === -1 ? undefined : index;
}

/** The length of a bucket, but for the hour by which clocks change. @param begin with the offset of the zone */
function countHours(interval: string, begin: string): number {
  if (interval === 'hour') return 1;
  if (interval === 'week') return 7 * 24;
  if (interval !== 'month') return 24;
  const [year, month] = begin.split('-').map(Number);
  return new Date(Date.UTC(year ?? 0, month ?? 0, 0)).getUTCDate() * 24;
}

/** Buckets are an hour, a day of 23 to 25 hours, a week or a month apart. A single one is named like a day. */
function guessInterval([first, second]: readonly Date[]): string {
  if (!first || !second) return 'day';
  const hours = (second.getTime() - first.getTime()) / HOUR_MS;
  if (hours <= 1) return 'hour';
  if (hours <= 25) return 'day';
  return hours <= 8 * 24 ? 'week' : 'month';
}
