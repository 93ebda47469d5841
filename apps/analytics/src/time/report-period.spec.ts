import { describe, expect, it } from '@jest/globals';
import { AppError } from '@app/common';
import fc from 'fast-check';
import {
  createReportPeriod,
  formatEdge,
  type Interval,
  INTERVALS,
  MAX_BUCKETS,
  type PeriodQuery,
} from './report-period.js';
const NOW = Date.parse('2026-11-23T09:41:07.123Z');
const QUARTER = 900_000;

const periodOf = (query: PeriodQuery, now = NOW, firstEventAt?: number) =>
  createReportPeriod(query, { now, firstEventAt });

/** Begins of the buckets, and the end of the last one. */
const edgesOf = (query: PeriodQuery, now = NOW, firstEventAt?: number): string[] => {
  const period = periodOf(query, now, firstEventAt);
  return period.edges.map((edge) => formatEdge(period.zone, edge));
};

/** The status and the parameters that an error names; undefined for a valid query. */
function findIssues(query: PeriodQuery): (number | string)[] | undefined {
  try {
    periodOf(query);
    return undefined;
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    return [error.statusCode, ...(error.details['issues'] as { path: string }[]).map(({ path }) => path)];
  }
}

describe('the named ranges', () => {
  it.each([
    ['24h', 'hour', 25],
    ['7d', 'day', 8],
    [undefined, 'day', 31],
    ['30d', 'day', 31],
    ['90d', 'day', 91],
    ['1y', 'week', 54],
    ['P2W', 'day', 15],
    ['PT90M', 'hour', 2],
    ['P2D', 'hour', 49],
    ['P2DT1S', 'day', 3],
    ['P92D', 'day', 93],
    ['P93D', 'week', 15],
    ['P2Y', 'week', 106],
    ['P2Y1D', 'month', 25],
  ] as const)('%s has buckets of one %s: %i', (range, interval, count) => {
    const period = periodOf({ range });
    expect([period.interval, period.edges.length - 1]).toEqual([interval, count]);
    expect(period.edges.at(-1)).toBeGreaterThan(NOW);
    expect(period.edges.at(-2)).toBeLessThanOrEqual(NOW);
  });

  it('named ranges of reports: a year by day has 366 buckets', () => {
    expect(periodOf({ range: '1y', interval: 'day' }).edges).toHaveLength(367);
  });

  it('named ranges of reports: all begins with the first event of the community, or has one bucket', () => {
    expect(edgesOf({ range: 'all', interval: 'month' }, NOW, Date.parse('2026-09-30T23:59:59Z'))).toEqual([
      '2026-09-01T00:00:00Z',
      '2026-10-01T00:00:00Z',
      '2026-11-01T00:00:00Z',
      '2026-12-01T00:00:00Z',
    ]);
    expect(edgesOf({ range: 'all', interval: 'day' })).toEqual([
      '2026-11-23T00:00:00Z',
      '2026-11-24T00:00:00Z',
    ]);
    expect(edgesOf({ range: 'all', interval: 'day' }, NOW, NOW + 60_000)).toHaveLength(2);
  });
});

describe('intervals', () => {
  it('intervals of dates: are days of the zone, with the end excluded', () => {
    expect(edgesOf({ range: '2026-01-01/2026-01-03', interval: 'day', timeZone: 'Asia/Kathmandu' })).toEqual([
      '2026-01-01T00:00:00+05:45',
      '2026-01-02T00:00:00+05:45',
      '2026-01-03T00:00:00+05:45',
    ]);
  });

  it('intervals of date-times: have an offset, or are times of the zone', () => {
    const timeZone = 'America/New_York';
    const expected = ['2026-01-01T06:00:00-05:00', '2026-01-01T07:00:00-05:00'];
    expect(edgesOf({ range: '2026-01-01T06:15/2026-01-01T06:45', timeZone })).toEqual(expected);
    expect(edgesOf({ range: '2026-01-01T11:15Z/2026-01-01T12:00+00:00', timeZone })).toEqual(expected);
    expect(edgesOf({ range: '2026-01-01/2026-01-01T01:00:00.000', timeZone })).toHaveLength(2);
  });

  it('intervals of date-times: without an offset mean the first of two equal times', () => {
    const query = { range: '2026-10-25T02:00/2026-10-25T03:00', interval: 'hour', timeZone: 'Europe/Berlin' };
    expect(edgesOf(query)).toEqual([
      '2026-10-25T02:00:00+02:00',
      '2026-10-25T02:00:00+01:00',
      '2026-10-25T03:00:00+01:00',
    ]);
  });

  it('report intervals: cover 29 February, the end of a year and weeks that begin on Monday', () => {
    expect(edgesOf({ range: '2028-02-28/2028-03-01', interval: 'day' })).toHaveLength(3);
    expect(edgesOf({ range: '2027-02-28/2027-03-01', interval: 'day' })).toHaveLength(2);
    expect(edgesOf({ range: '2026-12-31/2027-01-01', interval: 'week' })).toEqual([
      '2026-12-28T00:00:00Z',
      '2027-01-04T00:00:00Z',
    ]);
    expect(edgesOf({ range: '2028-02-29/2028-03-01', interval: 'month' })).toEqual([
      '2028-02-01T00:00:00Z',
      '2028-03-01T00:00:00Z',
    ]);
  });

  it.each([
    ['Europe/Berlin', '2026-03-29', 23],
    ['Europe/Berlin', '2026-10-25', 25],
    ['Australia/Lord_Howe', '2026-10-04', 23],
    ['Australia/Lord_Howe', '2026-04-05', 24],
    ['America/Havana', '2026-03-08', 23],
    ['America/Havana', '2026-11-01', 25],
    ['Asia/Kolkata', '2026-03-29', 24],
  ])('report intervals: a day of %s, %s, has %i hours', (timeZone, day, hours) => {
    const next = new Date(Date.parse(day) + 86_400_000).toISOString().slice(0, 10);
    expect(edgesOf({ range: `${day}/${next}`, interval: 'hour', timeZone })).toHaveLength(hours + 1);
  });
});

describe('invalid parameters', () => {
  it.each([
    ['-1d'],
    ['9999y'],
    ['P'],
    ['PT'],
    ['P0D'],
    ['P-1D'],
    ['P1.5D'],
    ['P99999Y'],
    ['P12Y'],
    ['1d'],
    [''],
    ['ALL'],
    ['__proto__'],
    ['2026-02-01/2026-01-01'],
    ['2026-01-01/2026-01-01'],
    ['2026-02-30/2026-03-01'],
    ['2014-12-31/2026-01-01'],
    ['2026-01-01T00:10Z/2026-01-02'],
    ['2026-01-01T00:00:00.001Z/2026-01-02'],
    ['2026-01-01T00:00+05:07/2026-01-02'],
    ['2026-01-01T24:30Z/2026-01-02'],
    ['2026-01-01T00:00 00:00/2026-01-02'],
    ['2026-W01/2026-W02'],
    ['2026-01-01/P1D'],
    ['2026-01-01'],
    ['2026-01-01/2026-01-02/2026-01-03'],
    ['٢٠٢٦-01-01/2026-01-02'],
  ])('report parameters: range %s is 400', (range) => {
    expect(findIssues({ range })).toEqual([400, 'range']);
  });

  it.each(['Mars/Olympus', 'Berlin', 'EST', '+02:00', 'utc', '', 'Europe/Berlin/../Paris', 'Etc/__proto__'])(
    'report parameters: timeZone %s is 400',
    (timeZone) => {
      expect(findIssues({ timeZone })).toEqual([400, 'timeZone']);
    },
  );

  it.each(['year', 'HOUR', '', 'minute'])('report parameters: interval %s is 400', (interval) => {
    expect(findIssues({ interval })).toEqual([400, 'interval']);
  });

  it('invalid parameters: more than 5,000 buckets are 400, and the message says which interval fits', () => {
    const begin = Date.parse('2026-01-01');
    const until = (hours: number) => `2026-01-01/${new Date(begin + hours * 3_600_000).toISOString()}`;
    expect(periodOf({ range: until(MAX_BUCKETS), interval: 'hour' }).edges).toHaveLength(MAX_BUCKETS + 1);
    expect(findIssues({ range: until(MAX_BUCKETS + 1), interval: 'hour' })).toEqual([400, 'interval']);
    expect(() => periodOf({ range: until(MAX_BUCKETS + 1), interval: 'hour' })).toThrow(
      'interval: would make more than 5000 buckets: use the interval day',
    );
    expect(() => periodOf({ range: '2015-01-01/9999-12-31' })).toThrow(
      'range: would make more than 5000 buckets: use a shorter range',
    );
  });

  it('report parameters: any text is a period or 400', () => {
    fc.assert(
      fc.property(fc.string(), fc.string(), fc.string(), (range, interval, timeZone) => {
        for (const query of [{ range }, { interval }, { timeZone }, { range: `2026-01-01/${range}` }]) {
          const [, path] = findIssues(query) ?? [];
          expect([undefined, 'range', 'interval', 'timeZone']).toContain(path);
        }
      }),
    );
  });
});

/** What a clock in the zone shows, by Intl alone. */
function clockOf(timeZone: string) {
  const format = new Intl.DateTimeFormat('en-CA', {
    timeZone,
    hourCycle: 'h23',
    weekday: 'short',
    year: 'numeric',
    month: '2-digit',
    day: '2-digit',
    hour: '2-digit',
    minute: '2-digit',
  });
  return (instant: number) =>
    Object.fromEntries(format.formatToParts(instant).map(({ type, value }) => [type, value]));
}

type Clock = Record<string, string>;
const IS_EDGE: Record<Interval, (now: Clock, before: Clock) => boolean> = {
  hour: (now) => now['minute'] === '00',
  day: (now, before) => now['day'] !== before['day'],
  week: (now, before) => now['weekday'] === 'Mon' && before['weekday'] === 'Sun',
  month: (now, before) => now['month'] !== before['month'],
};

const ZONES = [
  'UTC',
  'Europe/Berlin',
  'Asia/Kolkata',
  'Asia/Kathmandu',
  'Pacific/Chatham',
  'Australia/Lord_Howe',
  'America/Havana',
  'America/Sao_Paulo',
  'America/Santiago',
  'Asia/Beirut',
  'Africa/Casablanca',
  'Antarctica/Troll',
  'Pacific/Apia',
  'America/St_Johns',
];

describe('buckets', () => {
  const WINDOW_DAYS: Record<Interval, number> = { hour: 2, day: 4, week: 16, month: 70 };

  it.each(INTERVALS)(
    'buckets of one %s: are those of a clock that is looked at each quarter of an hour',
    (interval) => {
      const quarter = fc.integer({
        min: Date.UTC(2015, 0, 8) / QUARTER,
        max: Date.UTC(2030, 0, 1) / QUARTER,
      });
      // Clocks change in these weeks.
      const change = fc
        .tuple(
          fc.integer({ min: 2016, max: 2029 }),
          fc.constantFrom(2, 3, 9, 10),
          fc.integer({ min: 0, max: 3_000 }),
        )
        .map(([year, month, offset]) => Date.UTC(year, month, 1) / QUARTER + offset);
      fc.assert(
        fc.property(
          fc.constantFrom(...ZONES),
          fc.oneof(quarter, change),
          fc.integer({ min: 1, max: WINDOW_DAYS[interval] * 96 }),
          (timeZone, first, length) => {
            const [begin, end] = [first * QUARTER, (first + length) * QUARTER];
            const clock = clockOf(timeZone);
            const isEdge = (instant: number) => IS_EDGE[interval](clock(instant), clock(instant - QUARTER));
            const expected: number[] = [];
            let at = begin;
            while (!isEdge(at)) at -= QUARTER;
            for (; at < end; at += QUARTER) if (isEdge(at)) expected.push(at);
            while (!isEdge(at)) at += QUARTER;
            expected.push(at);
            const range = `${new Date(begin).toISOString()}/${new Date(end).toISOString()}`;
            expect(periodOf({ range, interval, timeZone }).edges).toEqual(expected);
          },
        ),
        { numRuns: { hour: 60, day: 30, week: 6, month: 3 }[interval] },
      );
    },
  );
});
