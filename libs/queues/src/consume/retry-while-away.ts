import { AppError } from '@app/common';
import type { Job } from 'bullmq';
import { RetryLater } from './failures.js';

const AGAIN_MS = 2_000;
/** From then on attempts count: what fails for so long in this way may fail for ever. */
const PATIENCE_MS = 24 * 60 * 60 * 1_000;

/**
 * Does a job's work. What it depends on may be away, a database or another app (an AppError of status 503), for longer
 * than its attempts last: that spends none of them.
 * @throws RetryLater for such a failure
 */
export async function retryWhileAway(job: Job, work: () => Promise<void>): Promise<void> {
  try {
    await work();
  } catch (error) {
    const isAway = error instanceof AppError && error.statusCode === 503;
    if (isAway && Date.now() - job.timestamp < PATIENCE_MS) throw new RetryLater(AGAIN_MS);
    throw error;
  }
}
