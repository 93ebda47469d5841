import { Inject } from '@nestjs/common';
import type { JobsOptions, Queue } from 'bullmq';
import type { z } from 'zod';
import type { BackendWatch } from '../backend/backend-watch.js';
import type { QueueDefinition } from '../definitions/define-queue.js';
import { toJobId } from '../definitions/job-id.js';
import { QueueUnavailable } from '../queue-unavailable.js';
import { waitAtMost } from './wait-at-most.js';

export interface EnqueueOptions {
  /** The job waits this long before a worker may have it. */
  delayMs?: number;
  /** A job with this id that failed for good is replaced instead of being the reason why nothing is added. */
  revive?: boolean;
}

const MOST_AT_ONCE = 200;

/** Puts jobs into one queue. A job whose id is there already is not added again. */
export class Producer<D extends QueueDefinition> {
  constructor(
    private readonly definition: D,
    private readonly queue: Queue,
    private readonly watch: BackendWatch,
    private readonly timeoutMs: number,
  ) {}

  /**
   * @throws QueueUnavailable in bounded time when the backend is away, silent or full. The job may have arrived all the
   * same: enqueue it again later, it is one job by its id.
   */
  async enqueue(data: z.input<D['payload']>, options: EnqueueOptions = {}): Promise<void> {
    await this.enqueueMany([data], options);
  }

  /** All of them or, when it throws, perhaps some. @throws QueueUnavailable as `enqueue` does */
  async enqueueMany(data: z.input<D['payload']>[], options: EnqueueOptions = {}): Promise<void> {
    const jobs = data.map((one) => this.toJob(one, options));
    for (let start = 0; start < jobs.length; start += MOST_AT_ONCE)
      await this.add(jobs.slice(start, start + MOST_AT_ONCE), options);
  }

  private toJob(input: z.input<D['payload']>, { delayMs }: EnqueueOptions) {
    const { name, payload, jobId } = this.definition;
    const data = payload.parse(input);
    const opts: JobsOptions = { jobId: toJobId(jobId(data)), ...(delayMs ? { delay: delayMs } : {}) };
    return { name, data, opts };
  }

  private async add(
    jobs: ReturnType<typeof this.toJob>[],
    { revive = false }: EnqueueOptions,
  ): Promise<void> {
    this.watch.requireUsable();
    try {
      await waitAtMost(this.timeoutMs, async () => {
        if (revive) await this.removeFailed(jobs.map(({ opts }) => opts.jobId ?? ''));
        await this.queue.addBulk(jobs);
      });
    } catch (error) {
      throw new QueueUnavailable(error);
    }
  }

  private async removeFailed(ids: string[]): Promise<void> {
    await Promise.all(
      ids.map(async (id) => {
        if ((await this.queue.getJobState(id)) === 'failed') await this.queue.remove(id);
      }),
    );
  }
}

const tokens = new WeakMap<QueueDefinition, symbol>();

/** The injection token of a definition's producer. */
export function producerToken(definition: QueueDefinition): symbol {
  const token = tokens.get(definition) ?? Symbol(`Producer(${definition.name})`);
  tokens.set(definition, token);
  return token;
}

/** `constructor(@InjectProducer(checkRolesQueue) producer: Producer<typeof checkRolesQueue>)` */
export const InjectProducer = (definition: QueueDefinition): ParameterDecorator =>
  Inject(producerToken(definition));
