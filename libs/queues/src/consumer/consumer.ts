import { continueTrace, summarizeIssues } from '@app/common';
import { WorkerHost } from '@nestjs/bullmq';
import { DelayedError, type Job, UnrecoverableError } from 'bullmq';
import { getConsumedQueue } from './consumes.decorator.js';
import { PermanentJobError, RetryLaterError } from './consumer.errors.js';

/**
 * Handles the jobs of the queue that `@Consumes` names. A job can run twice, even concurrently: handlers must be
 * idempotent, and their writes fenced in the database.
 */
// oxlint-disable-next-line typescript/no-unnecessary-type-parameters -- subclasses name their payload here
export abstract class Consumer<P> extends WorkerHost {
  private readonly runningHandlers = new Set<Promise<void>>();

  /** Handles a job. Any error counts as an attempt, except PermanentJobError (no retry) and RetryLaterError (delay). */
  abstract handle(data: P, job: Job): Promise<void>;

  override async process(job: Job, token?: string): Promise<void> {
    const { payload, split } = getConsumedQueue(this);
    const { success, data, error } = payload.safeParse(job.data);
    if (success) return this.run(data as P, job, token);
    const reason = `The payload is not valid: ${summarizeIssues(error.issues)}`;
    const parts = split?.(job.data);
    if (!parts) throw new UnrecoverableError(reason);
    if (parts.readable !== undefined) {
      await this.run(parts.readable as P, job, token);
      await job.updateData(parts.unreadable);
    }
    // Retried, because an instance of the next release may read the rest; then kept as a failed job.
    throw new Error(reason);
  }

  private async run(data: P, job: Job, token: string | undefined): Promise<void> {
    const { queueName, attemptsMade, opts } = job;
    const span = {
      name: `handle ${queueName}`,
      kind: 'CONSUMER',
      attributes: { 'gatehouse.attempt': attemptsMade + 1 },
    } as const;
    const handled = continueTrace(opts.telemetry?.metadata, span, () => this.handle(data, job));
    this.runningHandlers.add(handled);
    try {
      await handled;
    } catch (failure) {
      if (failure instanceof PermanentJobError) throw new UnrecoverableError(failure.message);
      if (!(failure instanceof RetryLaterError)) throw failure;
      await job.moveToDelayed(Date.now() + failure.afterMs, token);
      throw new DelayedError();
    } finally {
      this.runningHandlers.delete(handled);
    }
  }

  /** Resolves when all running handlers have returned. */
  async waitUntilIdle(): Promise<void> {
    await Promise.allSettled(this.runningHandlers);
  }
}
