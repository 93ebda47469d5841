import { type Scope, SCOPES } from '@app/dto';

/** Formats a UTC day as `20 November 2026`. */
export const formatDay = (date: Date): string =>
  date.toLocaleDateString('en-GB', { day: 'numeric', month: 'long', year: 'numeric', timeZone: 'UTC' });

/** The description of a scope for users; the scope itself if it is unknown. */
export const describeScope = (scope: string): string =>
  Object.hasOwn(SCOPES, scope) ? SCOPES[scope as Scope] : scope;

const HEAD_LENGTH = 6;
const TAIL_LENGTH = 4;

/** Shortens a CAIP-10 id to `0x7099…79C8`. */
export function shortenAccount(account: string): string {
  const address = account.slice(account.lastIndexOf(':') + 1);
  return `${address.slice(0, HEAD_LENGTH)}…${address.slice(-TAIL_LENGTH)}`;
}
