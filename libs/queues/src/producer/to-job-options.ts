import type { DefaultJobOptions } from 'bullmq';
import type { QueueDefinition } from '../definitions/define-queue.js';
import type { QueueConfig } from '../queue.config.js';

/** More than any request that the gateway lets in. */
const MAX_JOB_BYTES = 2 * 1024 * 1024;

/** A definition's options, with what this deployment says instead. */
export function toJobOptions({ options }: QueueDefinition, config: QueueConfig): DefaultJobOptions {
  const { attempts, backoff, removeOnComplete, removeOnFail } = options;
  const { QUEUE_BACKOFF_MS: delay = backoff.delay, QUEUE_KEEP_FAILED: keepFailed } = config;
  return {
    attempts,
    backoff: { ...backoff, delay },
    removeOnComplete,
    removeOnFail: keepFailed === undefined ? removeOnFail : { count: keepFailed },
    sizeLimit: MAX_JOB_BYTES,
    stackTraceLimit: 3,
  };
}
