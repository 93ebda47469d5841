import type { NextStep } from './delivery.js';
import { retryDelay } from './retry-delay.js';

const GONE = 410;

/** Any 2xx is success, 410 ends it, and everything else, redirects too, is tried again (contract.md section 6). */
export function nextStep(
  attempt: number,
  { status, retryAfterMs }: { status: number | undefined; retryAfterMs: number | undefined },
  schedule: readonly number[],
): NextStep {
  if (status !== undefined && status >= 200 && status < 300) return { state: 'delivered' };
  const delayMs = status === GONE ? undefined : retryDelay(schedule, attempt, retryAfterMs);
  return delayMs === undefined ? { state: 'failed' } : { state: 'pending', delayMs };
}
