import type { DefaultJobOptions } from 'bullmq';
import type { QueueDefinition } from '../definitions/define-queue.js';
import type { QueueConfig } from '../queue.config.js';

/** Larger than any request body that the gateway accepts. */
const MAX_JOB_BYTES = 2 * 1024 * 1024;

/** A definition's options, overridden by this deployment's configuration. */
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
