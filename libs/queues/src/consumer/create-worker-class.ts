import { setTimeout as sleep } from 'node:timers/promises';
import { type Job, type Processor, Worker, type WorkerOptions } from 'bullmq';
import type { QueueBackend } from '../backend/queue-backend.js';
import type { QueueConfig } from '../queue.config.js';

/** The delay after a failed fetch of jobs. */
const FETCH_RETRY_DELAY_MS = 1_000;

/** The class of @nestjs/bullmq's workers: BullMQ's Worker with this deployment's configuration. */
export const createWorkerClass = (backend: QueueBackend, config: QueueConfig) => {
  const { QUEUE_KEEP_FAILED: count } = config;
  return class extends Worker {
    constructor(name: string, processor: Processor, options: Partial<WorkerOptions>) {
      const configured: WorkerOptions = {
        ...options,
        connection: backend.workerConnection,
        lockDuration: config.QUEUE_LOCK_MS,
        stalledInterval: config.QUEUE_STALLED_INTERVAL_MS,
        maxStalledCount: config.QUEUE_MAX_STALLS,
        runRetryDelay: FETCH_RETRY_DELAY_MS,
        ...(count === undefined ? {} : { removeOnFail: { count } }),
        ...(backend.prefix ? { prefix: backend.prefix } : {}),
      };
      super(name, processor, configured);
    }

    /** BullMQ fetches again at once after an error that is not of the connection, such as that of a full or read-only backend. */
    protected override async moveToActive(token: string, jobName?: string): Promise<Job> {
      try {
        return await super.moveToActive(token, jobName);
      } catch (error) {
        await sleep(FETCH_RETRY_DELAY_MS);
        throw error;
      }
    }
  };
};
