import { Processor, WorkerHost } from '@nestjs/bullmq';
import { type Job, type KeepJobs, DelayedError, UnrecoverableError } from 'bullmq';
import type { PayloadOf, QueueDefinition, QueueOptions } from '../definitions/define-queue.js';
import { continueTrace, summarizeIssues } from '@app/common';

export interface ConsumerOptions {
  /** Maximum of concurrent jobs per process. */
  concurrency: number;
}

/** What the decorator needs to know of a Consumer. */
interface Handler<P> {
  handle(data: P, job: Job): Promise<void>;
}

const DEFINITION = Symbol('consumed queue');

/** `@Consumes(checkRolesQueue, { concurrency: 8 }) class … extends Consumer<CheckRolesJob>` */
export const Consumes =
  <D extends QueueDefinition>(definition: D, { concurrency }: ConsumerOptions) =>
  (target: new (...args: never[]) => Handler<PayloadOf<D>>): void => {
    Reflect.defineMetadata(DEFINITION, definition, target);
    const { name, options } = definition;
    // Job options that other services may leave out when they enqueue jobs.
    const removeOnComplete = toKeepJobs(options.removeOnComplete);
    const removeOnFail = toKeepJobs(options.removeOnFail);
    Processor({ name }, { concurrency, removeOnComplete, removeOnFail })(target);
  };

const toKeepJobs = (remove: QueueOptions['removeOnFail']): KeepJobs =>
  typeof remove === 'object' ? remove : { count: remove ? 0 : -1 };

/** @throws Error for a consumer without @Consumes */
export function getConsumedQueue(consumer: object): QueueDefinition {
  const definition: unknown = Reflect.getMetadata(DEFINITION, consumer.constructor);
  if (definition === undefined) throw new Error(`${consumer.constructor.name} lacks @Consumes`);
  return definition as QueueDefinition;
}

/** Moves the job to the failed list at once, without retries. */
export class PermanentJobError extends Error {
  override readonly name = 'PermanentJobError';
}

/** Delays the job. The attempt does not count. */
export class RetryLaterError extends Error {
  override readonly name = 'RetryLaterError';

  constructor(readonly afterMs: number) {
    super(`Retry in ${afterMs} ms`);
  }
}

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
