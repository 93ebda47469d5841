import { DAY_MS } from '@app/common';
import { type AnalyticsReportPeriod, DEFAULT_REPORT_RANGE, REPORT_RANGES, type ReportRange } from '@app/dto';
import type { PeriodView } from '../views/community-views.js';
import type { PeriodQuery } from './communities.dto.js';

const DEFAULT_TIME_ZONE = 'UTC';

/** Names that ICU lists, and those that the IANA time zone database has given to them since. */
const RENAMED: Readonly<Record<string, string>> = {
  'Africa/Asmera': 'Africa/Asmara',
  'America/Buenos_Aires': 'America/Argentina/Buenos_Aires',
  'America/Catamarca': 'America/Argentina/Catamarca',
  'America/Coral_Harbour': 'America/Atikokan',
  'America/Cordoba': 'America/Argentina/Cordoba',
  'America/Godthab': 'America/Nuuk',
  'America/Indianapolis': 'America/Indiana/Indianapolis',
  'America/Jujuy': 'America/Argentina/Jujuy',
  'America/Louisville': 'America/Kentucky/Louisville',
  'America/Mendoza': 'America/Argentina/Mendoza',
  'Asia/Calcutta': 'Asia/Kolkata',
  'Asia/Katmandu': 'Asia/Kathmandu',
  'Asia/Rangoon': 'Asia/Yangon',
  'Asia/Saigon': 'Asia/Ho_Chi_Minh',
  'Atlantic/Faeroe': 'Atlantic/Faroe',
  'Europe/Kiev': 'Europe/Kyiv',
  'Pacific/Enderbury': 'Pacific/Kanton',
  'Pacific/Ponape': 'Pacific/Pohnpei',
  'Pacific/Truk': 'Pacific/Chuuk',
};

/** The time zones that analytics accepts, for a list to choose from: names without an area are abbreviations. */
const TIME_ZONES: readonly string[] = [
  DEFAULT_TIME_ZONE,
  ...new Set(
    Intl.supportedValuesOf('timeZone')
      .filter((zone) => zone.includes('/'))
      .map((zone) => RENAMED[zone] ?? zone)
      .sort(),
  ),
];

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
