/** Without stored usage a month is shared out as this many equal days. */
export const DAYS_PER_MONTH = 30;

/** A calendar month in UTC. */
export interface CalendarMonth {
  /** The name of the month, such as `2026-11`. */
  name: string;
  /** Consecutive months have consecutive numbers: twelve times the year, plus 0 to 11. */
  number: number;
  startMs: number;
  /** The start of the next month, in epoch milliseconds. */
  endMs: number;
}

export function toCalendarMonth(nowMs: number): CalendarMonth {
  const date = new Date(nowMs);
  const year = date.getUTCFullYear();
  const month = date.getUTCMonth();
  return {
    name: date.toISOString().slice(0, 7),
    number: year * 12 + month,
    startMs: Date.UTC(year, month, 1),
    endMs: Date.UTC(year, month + 1, 1),
  };
}
