import { createBatcher, withTimeout } from '@app/common';
import { Inject } from '@nestjs/common';
import type { Queue } from 'bullmq';
import type { z } from 'zod';
import type { QueueBackendMonitor } from '../backend/queue-backend-monitor.js';
import type { QueueDefinition } from '../definitions/define-queue.js';
import { toJobId } from './to-job-id.js';
import { QueueUnavailableError } from '../backend/queue-unavailable.error.js';

export interface EnqueueOptions {
  /**
   * The job is due now: one with this id that failed for good is replaced, and one that waits for its time, which may
   * come from a clock that was wrong, waits no longer.
   */
  revive?: boolean;
}

const MAX_BATCH_SIZE = 200;
/** For as many jobs to be revived: each is looked at by itself, and nobody waits for that but the sweeper. */
const REVIVE_TIMEOUT_MS = 5_000;

type NewJob = Parameters<Queue['addBulk']>[0][number] & { opts: { jobId: string } };

/** Puts jobs into one queue. A job whose id is there already is not added again. */
export class Producer<D extends QueueDefinition> {
  /** Jobs of the same few milliseconds are one round trip. */
  private readonly gathered = createBatcher(
    async (jobs: readonly NewJob[]) => {
      await this.add([...jobs]);
      return jobs;
    },
    { maxBatchSize: MAX_BATCH_SIZE },
  );

  constructor(
    readonly definition: D,
    private readonly queue: Queue,
    private readonly watch: QueueBackendMonitor,
    private readonly timeoutMs: number,
  ) {}

  /**
   * @throws QueueUnavailable in bounded time when the backend is away, silent or full. The job may have arrived all the
   * same: enqueue it again later, it is one job by its id.
   */
  async enqueue(data: z.input<D['payload']>): Promise<void> {
    const job = this.toJob(data);
    // Here, too: whoever waits behind others shall not wait for what is known.
    this.watch.checkAvailable();
    await this.gathered.load(job);
  }

  /** All of them or, when it throws, perhaps some. @throws QueueUnavailable as `enqueue` does */
  async enqueueMany(data: z.input<D['payload']>[], { revive }: EnqueueOptions = {}): Promise<void> {
    const jobs = data.map((one) => this.toJob(one));
    for (let start = 0; start < jobs.length; start += MAX_BATCH_SIZE)
      await this.add(jobs.slice(start, start + MAX_BATCH_SIZE), revive);
  }

  private toJob(input: z.input<D['payload']>): NewJob {
    const { name, payload, jobId, priority } = this.definition;
    const data = payload.parse(input);
    return { name, data, opts: { jobId: toJobId(jobId(data)), priority: priority?.(data, Date.now()) } };
  }

  private async add(jobs: NewJob[], revive = false): Promise<void> {
    this.watch.checkAvailable();
    try {
      const timeoutMs = revive ? Math.max(REVIVE_TIMEOUT_MS, this.timeoutMs) : this.timeoutMs;
      await withTimeout(timeoutMs, this.addBulk(jobs, revive));
    } catch (error) {
      throw new QueueUnavailableError(error);
    }
  }

  private async addBulk(jobs: NewJob[], revive: boolean): Promise<void> {
    if (revive) await Promise.all(jobs.map(({ opts }) => this.makeWay(opts.jobId)));
    await this.queue.addBulk(jobs);
  }

  /** A clock that was wrong may have sent a job to sleep for far too long. */
  private async makeWay(id: string): Promise<void> {
    const state = await this.queue.getJobState(id);
    if (state === 'failed') await this.queue.remove(id);
    if (state === 'delayed') await this.wake(id);
  }

  private async wake(id: string): Promise<void> {
    try {
      await (await this.queue.getJob(id))?.promote();
    } catch (error) {
      // Its time may have come in between.
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
