import { DAY_MS, HOUR_MS, MINUTE_MS } from '@app/common';
import { type Scope, SCOPES } from '@app/dto';

/** Formats a UTC day as `20 November 2026`. */
export const formatDay = (date: Date): string =>
  date.toLocaleDateString('en-GB', { day: 'numeric', month: 'long', year: 'numeric', timeZone: 'UTC' });

/** Formats a time as `20 November 2026, 12:58 UTC`. */
export const formatMinute = (time: Date): string =>
  `${formatDay(time)}, ${time.toISOString().slice(11, 16)} UTC`;

const UNITS = [
  { name: 'day', ms: DAY_MS },
  { name: 'hour', ms: HOUR_MS },
  { name: 'minute', ms: MINUTE_MS },
] as const;

/** Formats a duration in its largest whole unit, as `2 days`. */
export function formatDuration(ms: number): string {
  const unit = UNITS.find((one) => ms >= one.ms);
  if (!unit) return 'less than a minute';
  const count = Math.floor(ms / unit.ms);
  return `${count.toLocaleString('en-GB')} ${unit.name}${count === 1 ? '' : 's'}`;
}

/** The description of a scope for users; the scope itself if it is unknown. */
export const describeScope = (scope: string): string =>
  Object.hasOwn(SCOPES, scope) ? SCOPES[scope as Scope] : scope;
