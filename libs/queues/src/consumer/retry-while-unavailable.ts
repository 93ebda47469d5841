import { addJitter, DAY_MS, isUnavailable } from '@app/common';
import type { Job } from 'bullmq';
import { RetryLaterError } from './consumer.js';

const RETRY_DELAY_MS = 2_000;
/** Older jobs use up their attempts, because this failure may be permanent. */
const MAX_UNAVAILABLE_MS = DAY_MS;

/**
 * Runs a job's work. A database or app that it depends on may be unavailable (AppError 503) for longer than the job's
 * attempts last, so that such a failure does not count as one.
 * @throws RetryLaterError for such a failure
 */
export async function retryWhileUnavailable(job: Job, work: () => Promise<void>): Promise<void> {
  try {
    await work();
  } catch (error) {
    const isRecent = Date.now() - job.timestamp < MAX_UNAVAILABLE_MS;
    if (isUnavailable(error) && isRecent) throw new RetryLaterError(addJitter(RETRY_DELAY_MS));
    throw error;
  }
}
