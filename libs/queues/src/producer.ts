import { createHash } from 'node:crypto';
import { createBatcher, getTraceparent, inSpan, withTimeout } from '@app/common';
import { Inject } from '@nestjs/common';
import type { Queue, DefaultJobOptions } from 'bullmq';
import type { z } from 'zod';
import type { QueueBackendMonitor } from './backend/queue-backend-monitor.js';
import type { PayloadOf, QueueDefinition } from './definitions/define-queue.js';
import { QueueUnavailableError } from './backend/queue-backend.js';
import type { QueueConfig } from './queue.config.js';

export interface EnqueueOptions {
  /** Replaces a failed job with this id, and runs a delayed one now, whose time may stem from a wrong clock. */
  replaceExisting?: boolean;
  /** The trace in which each job continues, instead of the current trace. */
  traceparents?: readonly (string | undefined)[];
}

const MAX_BATCH_SIZE = 200;
/** A bulk creates tables in PostgreSQL, which takes ten times as long as a job alone. */
const MAX_SINGLE_JOBS = 4;
/** Bounds what is read of the jobs that are active, delayed or waiting. */
const MAX_READ_JOBS = 50;
/** Replacing takes up to three round trips per job, and only sweepers wait for it. */
const REPLACE_TIMEOUT_MS = 5_000;

type NewJob = Parameters<Queue['addBulk']>[0][number] & { opts: { jobId: string } };

/** Enqueues jobs of one queue. A job is not added while one with the same id exists. */
export class Producer<D extends QueueDefinition> {
  private readonly batcher = createBatcher(
    async (jobs: readonly NewJob[]) => {
      await this.add([...jobs]);
      return jobs;
    },
    { maxBatchSize: MAX_BATCH_SIZE },
  );

  constructor(
    readonly definition: D,
    private readonly queue: Queue,
    private readonly monitor: QueueBackendMonitor,
    private readonly timeoutMs: number,
  ) {}

  /**
   * @throws QueueUnavailableError when the backend is unavailable, full or does not answer in time. The job may have been
   * added nevertheless; enqueueing it again is idempotent.
   */
  async enqueue(data: z.input<D['payload']>): Promise<void> {
    await this.inSpan(() => this.enqueueOne(data));
  }

  private async enqueueOne(data: z.input<D['payload']>): Promise<void> {
    const job = this.toJob(this.definition.payload.parse(data), getTraceparent());
    // Checked before the batch window, too, to fail at once.
    this.monitor.checkAvailable();
    await this.batcher.load(job);
  }

  /** Enqueues all jobs or, when it throws, possibly some. @throws QueueUnavailableError as `enqueue` does */
  enqueueMany(data: z.input<D['payload']>[], options: EnqueueOptions = {}): Promise<void> {
    const { payload } = this.definition;
    return this.inSpan(async () => {
      const validated = data.map((one) => payload.parse(one));
      await this.enqueueAll(validated, options);
    });
  }

  /**
   * Enqueues what the queue's schema has returned, without validating again: to validate a batch of events takes as
   * long as to send it.
   */
  enqueueValidated(data: readonly PayloadOf<D>[], options: EnqueueOptions = {}): Promise<void> {
    return this.inSpan(() => this.enqueueAll(data, options));
  }

  private async enqueueAll(
    data: readonly unknown[],
    { replaceExisting, traceparents }: EnqueueOptions,
  ): Promise<void> {
    const current = getTraceparent();
    const jobs = data.map((one, index) => this.toJob(one, traceparents ? traceparents[index] : current));
    for (let start = 0; start < jobs.length; start += MAX_BATCH_SIZE)
      await this.add(jobs.slice(start, start + MAX_BATCH_SIZE), replaceExisting);
  }

  /**
   * Finds the time at which the first of what the unfinished jobs are about happened, in milliseconds since 1970:
   * undefined without such jobs. Of waiting jobs only the oldest are read, because they are in order.
   * @throws QueueUnavailableError as `enqueue` does
   */
  async findUnfinishedSince(): Promise<number | 'unknown' | undefined> {
    this.monitor.checkAvailable();
    try {
      return await withTimeout(this.timeoutMs, this.readUnfinishedSince());
    } catch (error) {
      throw new QueueUnavailableError(error);
    }
  }

  private async readUnfinishedSince(): Promise<number | 'unknown' | undefined> {
    const counts = await this.queue.getJobCounts('active', 'delayed');
    if (Object.values(counts).some((count) => count > MAX_READ_JOBS)) return 'unknown';
    const jobs = await this.queue.getJobs(['active', 'delayed', 'waiting'], 0, MAX_READ_JOBS - 1, true);
    const times = jobs.map(({ data, timestamp }) => this.definition.findOldestTime?.(data) ?? timestamp);
    return times.length === 0 ? undefined : Math.min(...times);
  }

  private inSpan(work: () => Promise<void>): Promise<void> {
    return inSpan({ name: `enqueue ${this.definition.name}`, kind: 'PRODUCER' }, work);
  }

  /** A trace is kept beside the payload, which earlier releases read strictly. */
  private toJob(data: unknown, traceparent: string | undefined): NewJob {
    const { name, jobId, priority } = this.definition;
    const opts = { jobId: toJobId(jobId(data)), priority: priority?.(data, Date.now()) };
    if (traceparent === undefined) return { name, data, opts };
    return { name, data, opts: { ...opts, telemetry: { metadata: traceparent } } };
  }

  private async add(jobs: NewJob[], replaceExisting = false): Promise<void> {
    this.monitor.checkAvailable();
    try {
      const timeoutMs = replaceExisting ? Math.max(REPLACE_TIMEOUT_MS, this.timeoutMs) : this.timeoutMs;
      await withTimeout(timeoutMs, this.addBulk(jobs, replaceExisting));
    } catch (error) {
      throw new QueueUnavailableError(error);
    }
  }

  private async addBulk(jobs: NewJob[], replaceExisting: boolean): Promise<void> {
    if (replaceExisting) await Promise.all(jobs.map(({ opts }) => this.removeOrPromote(opts.jobId)));
    if (jobs.length > MAX_SINGLE_JOBS) await this.queue.addBulk(jobs);
    else for (const { name, data, opts } of jobs) await this.queue.add(name, data, opts);
  }

  private async removeOrPromote(id: string): Promise<void> {
    const state = await this.queue.getJobState(id);
    if (state === 'failed') await this.queue.remove(id);
    if (state === 'delayed') await this.promote(id);
  }

  private async promote(id: string): Promise<void> {
    try {
      await (await this.queue.getJob(id))?.promote();
    } catch (error) {
      // The job may have become due in between.
      if ((await this.queue.getJobState(id)) === 'delayed') throw error;
    }
  }
}

const tokens = new WeakMap<QueueDefinition, symbol>();

/** The injection token of a definition's producer. */
export function getProducerToken(definition: QueueDefinition): symbol {
  const token = tokens.get(definition) ?? Symbol(`Producer(${definition.name})`);
  tokens.set(definition, token);
  return token;
}

/** `constructor(@InjectProducer(checkRolesQueue) producer: Producer<typeof checkRolesQueue>)` */
export const InjectProducer = (definition: QueueDefinition): ParameterDecorator =>
  Inject(getProducerToken(definition));

/** BullMQ rejects `:` and integers in job ids, and a job id is part of a Redis key. */
const VALID_JOB_ID = /^(?!\d+$)[A-Za-z0-9._-]{1,128}$/;

/** The text itself if it is a valid job id, else its hash, so that different texts never share a Redis key. */
export function toJobId(text: string): string {
  if (VALID_JOB_ID.test(text) && !text.startsWith('sha256-')) return text;
  return `sha256-${createHash('sha256').update(text).digest('hex')}`;
}

/**
 * The time until which what happened has been handled, as far as these queues know.
 * @param until at most this time, in ISO 8601
 * @returns undefined while too many jobs are unfinished to say
 */
export async function findHandledUntil(
  until: string,
  producers: readonly Pick<Producer<QueueDefinition>, 'findUnfinishedSince'>[],
): Promise<string | undefined> {
  const times = await Promise.all(producers.map((producer) => producer.findUnfinishedSince()));
  if (times.includes('unknown')) return undefined;
  const oldest = Math.min(...times.filter((time) => typeof time === 'number'));
  return oldest < Date.parse(until) ? new Date(oldest).toISOString() : until;
}

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
