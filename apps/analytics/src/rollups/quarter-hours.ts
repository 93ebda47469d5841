import { QUARTER_HOUR_MS } from '../time/local-time.js';

export const QUARTERS_PER_DAY = 96;

/** The quarter-hour of an event's time, counted from 1970-01-01T00:00Z. */
export const toQuarterHour = (time: string): number => Math.floor(Date.parse(time) / QUARTER_HOUR_MS);

/** The UTC day of a quarter-hour, counted from 1970-01-01. */
export const toDay = (quarter: number): number => Math.floor(quarter / QUARTERS_PER_DAY);

export const toQuarterOfDay = (quarter: number): number => quarter - toDay(quarter) * QUARTERS_PER_DAY;

/** A quarter-hour as PostgreSQL reads it. */
export const formatQuarterHour = (quarter: number): string =>
  new Date(quarter * QUARTER_HOUR_MS).toISOString();

/** A day as PostgreSQL reads a date. */
export const formatDay = (day: number): string =>
  formatQuarterHour(day * QUARTERS_PER_DAY).slice(0, 'yyyy-mm-dd'.length);
