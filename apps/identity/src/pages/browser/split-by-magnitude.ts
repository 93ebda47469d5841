import type { ReportView, Series } from './report-view.js';

/** Bars that are shorter than this share of the longest one cannot be told apart. */
const MIN_VISIBLE_RATIO = 12;

const findLargest = ({ values }: Series): number => Math.max(0, ...values);

/**
 * Splits series whose numbers cannot be read on one axis, at the widest gap between them.
 * @returns the series of each axis, that of the largest numbers first; one list where all can be read on one axis
 */
export function splitByMagnitude(series: readonly Series[]): Series[][] {
  const sorted = series
    .map((one) => ({ one, largest: findLargest(one) }))
    .filter(({ largest }) => largest > 0)
    .sort((a, b) => b.largest - a.largest);
  const ratios = sorted.slice(1).map(({ largest }, index) => (sorted[index]?.largest ?? 0) / largest);
  const widest = Math.max(0, ...ratios);
  if (widest < MIN_VISIBLE_RATIO) return [[...series]];
  const small = new Set(sorted.slice(ratios.indexOf(widest) + 1).map(({ one }) => one));
  return [series.filter((one) => !small.has(one)), series.filter((one) => small.has(one))];
}

/** The bars of a chart over time, by axis. */
export const splitBars = ({ series }: Pick<ReportView, 'series'>): Series[][] =>
  splitByMagnitude(series.filter(({ as, isApart }) => as !== 'line' && !isApart));
