import { AppError } from '@app/common';
import type { Job } from 'bullmq';
import { RetryLaterError } from './consumer.errors.js';

const RETRY_DELAY_MS = 2_000;
/** From then on attempts count: what fails for so long in this way may fail for ever. */
const MAX_UNAVAILABLE_MS = 24 * 60 * 60 * 1_000;

/**
 * Does a job's work. What it depends on may be away, a database or another app (an AppError of status 503), for longer
 * than its attempts last: that spends none of them.
 * @throws RetryLater for such a failure
 */
export async function retryWhileUnavailable(job: Job, work: () => Promise<void>): Promise<void> {
  try {
    await work();
  } catch (error) {
    const isAway = error instanceof AppError && error.statusCode === 503;
    if (isAway && Date.now() - job.timestamp < MAX_UNAVAILABLE_MS) throw new RetryLaterError(RETRY_DELAY_MS);
    throw error;
  }
}
