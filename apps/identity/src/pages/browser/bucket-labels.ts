export interface PeriodOptions {
  timeZone: string;
  /** Empty when the server chose it. */
  interval: string;
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

/** Buckets are an hour, a day of 23 to 25 hours, a week or a month apart. A single one is named like a day. */
function guessInterval([first, second]: readonly Date[]): string {
  if (!first || !second) return 'day';
  const hours = (second.getTime() - first.getTime()) / HOUR_MS;
  if (hours <= 1) return 'hour';
  if (hours <= 25) return 'day';
  return hours <= 8 * 24 ? 'week' : 'month';
}
