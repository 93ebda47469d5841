import { type Scope, SCOPES } from '@app/dto';

/** Formats a UTC day as `20 November 2026`. */
export const formatDay = (date: Date): string =>
  date.toLocaleDateString('en-GB', { day: 'numeric', month: 'long', year: 'numeric', timeZone: 'UTC' });

/** The description of a scope for users; the scope itself if it is unknown. */
export const describeScope = (scope: string): string =>
  Object.hasOwn(SCOPES, scope) ? SCOPES[scope as Scope] : scope;
