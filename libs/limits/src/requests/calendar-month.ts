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

let lastMonth: CalendarMonth | undefined;

/** The month of a time. The last one is kept, because every request asks for it several times. */
export function toCalendarMonth(nowMs: number): Readonly<CalendarMonth> {
  if (!lastMonth || nowMs < lastMonth.startMs || nowMs >= lastMonth.endMs) lastMonth = createMonth(nowMs);
  return lastMonth;
}

function createMonth(nowMs: number): CalendarMonth {
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
