/** A calendar month in UTC: its name `2026-11`, and when the next one starts. */
export interface CalendarMonth {
  name: string;
  startMs: number;
  endMs: number;
}

export function toCalendarMonth(nowMs: number): CalendarMonth {
  const date = new Date(nowMs);
  const year = date.getUTCFullYear();
  const month = date.getUTCMonth();
  return {
    name: date.toISOString().slice(0, 7),
    startMs: Date.UTC(year, month, 1),
    endMs: Date.UTC(year, month + 1, 1),
  };
}
