const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;

const UNITS = [
  { unit: 'day', ms: 24 * HOUR },
  { unit: 'hour', ms: HOUR },
  { unit: 'minute', ms: MINUTE },
] as const;

/** `90 days`, in the largest unit that divides the time; nothing below a minute or for other times. */
export function formatDuration(durationMs: number): string | undefined {
  const largest = UNITS.find(({ ms }) => durationMs >= ms && durationMs % ms === 0);
  if (!largest) return undefined;
  const count = durationMs / largest.ms;
  return `${count} ${largest.unit}${count === 1 ? '' : 's'}`;
}
