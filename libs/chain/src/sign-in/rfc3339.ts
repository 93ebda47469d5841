const DATE_TIME = /^(\d{4})-(\d\d)-(\d\d)T(\d\d):(\d\d):(\d\d)(?:\.\d{1,9})?(?:Z|[+-](\d\d):(\d\d))$/;

/**
 * Whether the text is a valid date-time of RFC 3339, with `T` and `Z` in capitals as it recommends. Leap seconds are rejected,
 * because `Date.parse` returns NaN for them, and every comparison with NaN is false.
 */
export function isDateTime(text: string): boolean {
  const parts = DATE_TIME.exec(text)?.slice(1).map(Number);
  if (!parts) return false;
  // Without an offset its two parts are NaN, so the comparisons below are false.
  const [year = 0, month = 0, day = 0, hour = 0, minute = 0, second = 0, offsetHour = 0, offsetMinute = 0] =
    parts;
  if (month < 1 || month > 12 || day < 1 || day > daysInMonth(year, month)) return false;
  return hour <= 23 && minute <= 59 && second <= 59 && !(offsetHour > 23) && !(offsetMinute > 59);
}

function daysInMonth(year: number, month: number): number {
  if (month === 2) return year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0) ? 29 : 28;
  return [4, 6, 9, 11].includes(month) ? 30 : 31;
}
