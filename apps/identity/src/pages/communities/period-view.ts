import { DAY_MS } from '@app/common';
import { type AnalyticsReportPeriod, DEFAULT_REPORT_RANGE, REPORT_RANGES, type ReportRange } from '@app/dto';
import type { PeriodView } from '../views/page-views.js';
import type { PeriodQuery } from './communities.dto.js';
import { DEFAULT_TIME_ZONE, TIME_ZONES } from './time-zones.js';

const RANGE_TEXTS: Readonly<Record<ReportRange, string>> = {
  '24h': '24 hours',
  '7d': '7 days',
  '30d': '30 days',
  '90d': '90 days',
  '1y': '1 year',
  all: 'All time',
};

const INTERVALS: readonly (readonly [interval: string, text: string])[] = [
  ['', 'Automatic'],
  ['hour', 'Hour'],
  ['day', 'Day'],
  ['week', 'Week'],
  ['month', 'Month'],
];
const ISO_DATE = /^\d{4}-\d{2}-\d{2}$/;

/** The controls of a community's charts, and the query of their reports. */
export function toPeriodView(path: string, query: Partial<PeriodQuery>): PeriodView {
  const { interval = '', timeZone = DEFAULT_TIME_ZONE, from = '', to = '' } = query;
  const isCustom = from !== '' || to !== '';
  const problem = isCustom ? findDateProblem(from, to) : undefined;
  const range = isCustom && !problem ? toRange(from, to) : (query.range ?? DEFAULT_REPORT_RANGE);
  const period: AnalyticsReportPeriod = { range, timeZone, ...(interval !== '' && { interval }) };
  return {
    ...{ path, from, to, timeZone, interval, problem },
    range: query.range ?? DEFAULT_REPORT_RANGE,
    query: new URLSearchParams(period).toString(),
    ranges: REPORT_RANGES.map((value) => ({
      text: RANGE_TEXTS[value],
      // An interval that fits one range may not fit another.
      href: `${path}?${new URLSearchParams({ range: value, timeZone }).toString()}`,
      isCurrent: !isCustom && value === range,
    })),
    intervals: INTERVALS.map(([value, text]) => ({ value, text })),
    timeZones: TIME_ZONES.includes(timeZone) ? [...TIME_ZONES] : [timeZone, ...TIME_ZONES],
  };
}

function findDateProblem(from: string, to: string): string | undefined {
  if (from === '' || to === '') return 'Enter both dates, or none.';
  if (!isDay(from) || !isDay(to)) return 'Enter dates as year-month-day, such as 2026-01-31.';
  if (from > to) return 'The first day must not be after the last day.';
  return undefined;
}

/** Whether a text is a day. 31 February is none, although Date takes it for a day of March. */
const isDay = (text: string): boolean => ISO_DATE.test(text) && toDay(Date.parse(`${text}T00:00Z`)) === text;

const toDay = (time: number): string => (Number.isNaN(time) ? '' : new Date(time).toISOString().slice(0, 10));

/** The last day is included in the form, and the end is excluded in the range. */
function toRange(from: string, to: string): string {
  return `${from}/${toDay(Date.parse(`${to}T00:00Z`) + DAY_MS)}`;
}
