import { isAuthority, isPchars, isPlainLine, isScheme, isUri } from './rfc3986.js';
import { SignInMessageError } from './sign-in-message.js';

interface FieldRule {
  readonly isValid: (text: string) => boolean;
  readonly reason: string;
}

const DATE_TIME_RULE: FieldRule = {
  isValid: isDateTime,
  reason: 'must be a valid date and time of RFC 3339',
};

/** The fields whose rule is the same on every chain. */
const FIELD_RULES = {
  scheme: { isValid: isScheme, reason: 'must be a scheme of RFC 3986' },
  domain: { isValid: isAuthority, reason: 'must be an authority of RFC 3986' },
  statement: {
    isValid: isPlainLine,
    reason: 'must be one line of reserved and unreserved characters of RFC 3986 and spaces',
  },
  uri: { isValid: isUri, reason: 'must be a URI of RFC 3986' },
  version: { isValid: (text) => text === '1', reason: 'must be 1' },
  nonce: {
    isValid: (text) => /^[A-Za-z0-9]{8,}$/.test(text),
    reason: 'must be 8 or more letters and digits',
  },
  issuedAt: DATE_TIME_RULE,
  expirationTime: DATE_TIME_RULE,
  notBefore: DATE_TIME_RULE,
  requestId: { isValid: isPchars, reason: 'must consist of path characters of RFC 3986' },
  resources: { isValid: isUri, reason: 'must be URIs of RFC 3986' },
} satisfies Record<string, FieldRule>;

type CheckedField = keyof typeof FIELD_RULES;

/** Returns the text. Throws SignInMessageError if it is invalid for the field. */
export function checkField(field: CheckedField, text: string): string {
  const { isValid, reason } = FIELD_RULES[field];
  if (!isValid(text)) throw new SignInMessageError(field, reason);
  return text;
}

const DATE_TIME = /^(\d{4})-(\d\d)-(\d\d)T(\d\d):(\d\d):(\d\d)(?:\.\d{1,9})?(?:Z|[+-](\d\d):(\d\d))$/;

/**
 * Whether the text is a valid date-time of RFC 3339, with `T` and `Z` in capitals as it recommends. Leap seconds are rejected,
 * because `Date.parse` returns NaN for them, and every comparison with NaN is false.
 */
function isDateTime(text: string): boolean {
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
