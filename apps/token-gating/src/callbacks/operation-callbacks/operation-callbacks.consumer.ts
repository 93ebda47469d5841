import {
  Consumer,
  Consumes,
  handleTogether,
  operationCallbacksQueue,
  type OperationEventsJob,
  retryWhileUnavailable,
} from '@app/queues';
import type { Job } from 'bullmq';
import { OperationCallbackService } from './operation-callback.service.js';

const CONCURRENCY = 2;

/** Makes callbacks of the events of account-kit. They arrive at least once and in any order. */
@Consumes(operationCallbacksQueue, { concurrency: CONCURRENCY })
export class OperationCallbacksConsumer extends Consumer<OperationEventsJob> {
  constructor(private readonly callbacks: OperationCallbackService) {
    super();
  }

  async handle({ events }: OperationEventsJob, job: Job): Promise<void> {
    await retryWhileUnavailable(job, () =>
      handleTogether(events, (some) => this.callbacks.createDeliveries(some)),
    );
  }
}
