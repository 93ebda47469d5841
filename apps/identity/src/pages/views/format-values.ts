import { type Scope, SCOPES } from '@app/dto';

/** A day as everybody reads it: `20 November 2026`. In UTC, as all of the service's months and days are. */
export const formatDay = (date: Date): string =>
  date.toLocaleDateString('en-GB', { day: 'numeric', month: 'long', year: 'numeric', timeZone: 'UTC' });

/** What a scope allows, as people read it. */
export const describeScope = (scope: string): string =>
  Object.hasOwn(SCOPES, scope) ? SCOPES[scope as Scope] : scope;

const HEAD_LENGTH = 6;
const TAIL_LENGTH = 4;

/** An account as people recognise it: `0x7099…79C8` of a CAIP-10 id. */
export function shortenAccount(account: string): string {
  const address = account.slice(account.lastIndexOf(':') + 1);
  return `${address.slice(0, HEAD_LENGTH)}…${address.slice(-TAIL_LENGTH)}`;
}
