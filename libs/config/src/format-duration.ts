import { DAY_MS, HOUR_MS, MINUTE_MS } from '@app/common';

const UNITS = [
  { unit: 'day', ms: DAY_MS },
  { unit: 'hour', ms: HOUR_MS },
  { unit: 'minute', ms: MINUTE_MS },
] as const;

/** `90 days`, in the largest unit that divides the time; nothing below a minute or for other times. */
export function formatDuration(durationMs: number): string | undefined {
  const largest = UNITS.find(({ ms }) => durationMs >= ms && durationMs % ms === 0);
  if (!largest) return undefined;
  const count = durationMs / largest.ms;
  return `${count} ${largest.unit}${count === 1 ? '' : 's'}`;
}
