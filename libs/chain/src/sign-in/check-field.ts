import { isDateTime } from './rfc3339.js';
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

export type CheckedField = keyof typeof FIELD_RULES;

/** Returns the text. Throws SignInMessageError if it is invalid for the field. */
export function checkField(field: CheckedField, text: string): string {
  const { isValid, reason } = FIELD_RULES[field];
  if (!isValid(text)) throw new SignInMessageError(field, reason);
  return text;
}
