const SPREAD = 0.2;
/** What a receiver may ask for: a check is kept as long as it has something to deliver. */
const LONGEST_WISH_MS = 24 * 60 * 60_000;

/**
 * Milliseconds until the next attempt after `attempts` have failed, ±20 % so that many that failed together do not come
 * back together; never before a receiver's own `Retry-After`, up to a day. Undefined when the schedule is used up.
 */
export function retryDelay(
  schedule: readonly number[],
  attempts: number,
  retryAfterMs: number | undefined,
  random: () => number = Math.random,
): number | undefined {
  const planned = schedule[attempts - 1];
  if (planned === undefined) return undefined;
  const spread = planned * (1 + SPREAD * (2 * random() - 1));
  return Math.round(Math.max(spread, Math.min(retryAfterMs ?? 0, LONGEST_WISH_MS)));
}
