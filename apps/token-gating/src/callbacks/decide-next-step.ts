import type { NextStep } from './delivery.js';

const GONE = 410;

/** Any 2xx is success, 410 ends it, and everything else, redirects too, is tried again (contract.md section 6). */
export function decideNextStep(
  attempt: number,
  { status, retryAfterMs }: { status: number | undefined; retryAfterMs: number | undefined },
  schedule: readonly number[],
): NextStep {
  if (status !== undefined && status >= 200 && status < 300) return { state: 'delivered' };
  const delayMs = status === GONE ? undefined : calculateRetryDelay(schedule, attempt, retryAfterMs);
  return delayMs === undefined ? { state: 'failed' } : { state: 'pending', delayMs };
}

const SPREAD = 0.2;
/** What a receiver may ask for: a check is kept as long as it has something to deliver. */
const LONGEST_WISH_MS = 24 * 60 * 60_000;

/**
 * Milliseconds until the next attempt after `attempts` have failed, ±20 % so that many that failed together do not come
 * back together; never before a receiver's own `Retry-After`, up to a day. Undefined when the schedule is used up.
 */
export function calculateRetryDelay(
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
