import { isDateTime } from './rfc3339.js';
import { isAuthority, isPchars, isPlainLine, isScheme, isUri } from './rfc3986.js';
import { SignInFault } from './sign-in-message.js';

interface FieldRule {
  readonly isGood: (text: string) => boolean;
  readonly reason: string;
}

const time: FieldRule = { isGood: isDateTime, reason: 'must be a date and time of RFC 3339 that exists' };

/** What the fields have to be whose rule is the same on every chain. */
const rules = {
  scheme: { isGood: isScheme, reason: 'must be a scheme of RFC 3986' },
  domain: { isGood: isAuthority, reason: 'must be an authority of RFC 3986' },
  statement: {
    isGood: isPlainLine,
    reason: 'must be one line of reserved and unreserved characters of RFC 3986 and spaces',
  },
  uri: { isGood: isUri, reason: 'must be a URI of RFC 3986' },
  version: { isGood: (text) => text === '1', reason: 'must be 1' },
  nonce: { isGood: (text) => /^[A-Za-z0-9]{8,}$/.test(text), reason: 'must be 8 or more letters and digits' },
  issuedAt: time,
  expirationTime: time,
  notBefore: time,
  requestId: { isGood: isPchars, reason: 'must be characters that stand in a path of RFC 3986' },
  resources: { isGood: isUri, reason: 'must be URIs of RFC 3986' },
} satisfies Record<string, FieldRule>;

export type RuledField = keyof typeof rules;

/** The text. Throws SignInFault when it is not what the field has to be. */
export function checkField(field: RuledField, text: string): string {
  const { isGood, reason } = rules[field];
  if (!isGood(text)) throw new SignInFault(field, reason);
  return text;
}
