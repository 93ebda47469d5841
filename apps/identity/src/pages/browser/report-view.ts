/** A color: 0xRRGGBB as a community chose it, or the number of a color of the palette. */
export type SeriesColor = { rgb: number } | { palette: number };

/** A line or the bars of a chart: a number for each label. */
export interface Series {
  name: string;
  color: SeriesColor;
  values: number[];
  /** `below`: bars that go down from zero. */
  as: 'bar' | 'below' | 'line';
  /** The series has a plot of its own, above the others. */
  isApart?: true;
}

/** What a chart and its table show of a report. */
export interface ReportView {
  /** Totals of the range: `['1,204', 'interactions']`. */
  figures: (readonly [value: string, text: string])[];
  labels: string[];
  series: Series[];
  /** What the bars over time count, beside their axis. */
  barsTitle?: string;
  /** Bars that go to the right, one for each label, in colors of their own. */
  bars?: { colors: SeriesColor[]; texts: string[] };
  /** Shown instead of the chart, when there is nothing to draw. */
  emptyText?: string;
  /** The first of the labels whose numbers may grow. */
  partialFrom?: number | undefined;
  note?: string;
  table: { columns: string[]; rows: string[][] };
}

/** What is said of numbers that may grow. */
export const markPartial = (label: string): string => `${label} (incomplete)`;

const NUMBER = new Intl.NumberFormat('en-GB');
const PERCENT = new Intl.NumberFormat('en-GB', { style: 'percent', maximumFractionDigits: 1 });

export const formatNumber = (value: number): string => NUMBER.format(value);
export const formatShare = (value: number): string => PERCENT.format(value);

export const sum = (values: readonly number[]): number => values.reduce((total, value) => total + value, 0);
