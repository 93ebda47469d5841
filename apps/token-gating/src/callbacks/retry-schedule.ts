import { DAY_MS, HOUR_MS, MINUTE_MS, SECOND_MS } from '@app/common';
import type { NextStep } from './delivery.js';

/** Delays between the attempts of a callback, from the first one on (contract.md section 6). */
export const DEFAULT_ATTEMPT_DELAYS_MS = [
  5 * SECOND_MS,
  5 * MINUTE_MS,
  30 * MINUTE_MS,
  2 * HOUR_MS,
  5 * HOUR_MS,
  10 * HOUR_MS,
  10 * HOUR_MS,
];

const GONE = 410;

/** Whether a receiver wants nothing any more. */
export const isGone = (status: number | undefined): boolean => status === GONE;

/**
 * Decides what follows an attempt: any 2xx is success, 410 is a permanent failure, and all else, redirects too, is
 * retried (contract.md section 6).
 */
export function decideNextStep(
  attempt: number,
  { status, retryAfterMs }: { status: number | undefined; retryAfterMs: number | undefined },
  schedule: readonly number[],
): NextStep {
  if (status !== undefined && status >= 200 && status < 300) return { state: 'delivered' };
  const delayMs = isGone(status) ? undefined : calculateRetryDelay(schedule, attempt, retryAfterMs);
  return delayMs === undefined ? { state: 'failed' } : { state: 'pending', delayMs };
}

const JITTER = 0.2;
/** Bounds Retry-After, because a check is kept while its delivery is pending. */
const MAX_RETRY_AFTER_MS = DAY_MS;

/**
 * Milliseconds until the next attempt after `attempts` have failed, with ±20 % jitter and not before the `Retry-After` of
 * the receiver, up to a day. Undefined when the schedule is exhausted.
 */
export function calculateRetryDelay(
  schedule: readonly number[],
  attempts: number,
  retryAfterMs: number | undefined,
  random: () => number = Math.random,
): number | undefined {
  const planned = schedule[attempts - 1];
  if (planned === undefined) return undefined;
  const jittered = planned * (1 + JITTER * (2 * random() - 1));
  return Math.round(Math.max(jittered, Math.min(retryAfterMs ?? 0, MAX_RETRY_AFTER_MS)));
}
