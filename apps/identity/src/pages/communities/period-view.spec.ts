import { describe, expect, it } from '@jest/globals';
import { toPeriodView } from './period-view.js';

const PATH = '/portal/communities/c';

describe('toPeriodView', () => {
  it('toPeriodView: shows 30 days in UTC by default', () => {
    const { query, ranges, timeZones } = toPeriodView(PATH, {});
    expect(query).toBe('range=30d&timeZone=UTC');
    expect(ranges.filter(({ isCurrent }) => isCurrent)).toEqual([
      { text: '30 days', href: `${PATH}?range=30d&timeZone=UTC`, isCurrent: true },
    ]);
    expect(timeZones).toEqual(expect.arrayContaining(['UTC', 'Asia/Kathmandu', 'Europe/Berlin']));
    expect(timeZones).not.toContain('EST');
  });

  it('toPeriodView: prefers dates, whose last day is included, to a named range', () => {
    const view = toPeriodView(PATH, { range: '7d', from: '2026-02-01', to: '2026-02-28', interval: 'week' });
    expect(new URLSearchParams(view.query).get('range')).toBe('2026-02-01/2026-03-01');
    expect(view.ranges.some(({ isCurrent }) => isCurrent)).toBe(false);
    expect(view).toMatchObject({ from: '2026-02-01', to: '2026-02-28', interval: 'week' });
  });

  it.each([
    [{ from: '2026-01-01' }, 'both dates'],
    [{ to: '2026-01-01' }, 'both dates'],
    [{ from: '2026-02-01', to: '2026-01-31' }, 'must not be after'],
    [{ from: '1 January', to: '2026-01-31' }, 'year-month-day'],
    [{ from: '2026-13-01', to: '2026-13-02' }, 'year-month-day'],
    [{ from: '2026-02-31', to: '2026-03-02' }, 'year-month-day'],
  ])('toPeriodView: says what is wrong with the dates %j', (query, problem) => {
    expect(toPeriodView(PATH, query).problem).toContain(problem);
  });
});
