import { QueueBackendMonitor, QUEUES_CONTEXT, type QueuesContext } from '@app/queues';
import {
  type BeforeApplicationShutdown,
  Inject,
  Injectable,
  type OnApplicationBootstrap,
} from '@nestjs/common';
import { OutboxSignal } from './outbox-signal.js';
import { OutboxMetrics } from './outbox-metrics.js';
import { OUTBOX_QUEUES, type OutboxQueue } from './outbox-queue.js';
import { type OutboxRow, OutboxRepository, type UnsendableRow } from './outbox.repository.js';
import { OutboxConfig } from './outbox.config.js';
import { partitionRows } from './partition-rows.js';

/** As many jobs as the backend is asked to take at once, in QUEUE_ENQUEUE_TIMEOUT_MS. */
const MAX_BATCH_SIZE = 200;
/** After this long others may take the rows of an instance that was lost. Longer than enqueueing may be told to take. */
const CLAIM_LEASE_MS = 15_000;
/** A job that is refused by itself lets those behind it pass. */
const RETRY_DELAY_MS = 5_000;
/** How often rows that cannot be sent come back before they are set aside. */
const MAX_UNSENDABLE_ATTEMPTS = 10;

/**
 * Puts the jobs of an outbox onto their queues: at once when the bell rings here, and otherwise when it looks. Any number
 * of instances share the work through the rows. While the backend is away they wait.
 */
@Injectable()
export class OutboxRelayWorker implements OnApplicationBootstrap, BeforeApplicationShutdown {
  private stopped = false;
  private isInTrouble = false;
  /** Fewer after a failure, down to one: jobs may be too large for so many at once. */
  private atOnce = MAX_BATCH_SIZE;
  private loop: Promise<void> = Promise.resolve();

  constructor(
    private readonly config: OutboxConfig,
    private readonly rows: OutboxRepository,
    @Inject(OUTBOX_QUEUES) private readonly queues: readonly OutboxQueue[],
    private readonly bell: OutboxSignal,
    private readonly watch: QueueBackendMonitor,
    private readonly metrics: OutboxMetrics,
    @Inject(QUEUES_CONTEXT) private readonly context: QueuesContext,
  ) {}

  onApplicationBootstrap(): void {
    this.loop = this.runLoop();
  }

  /** Not at draining already: requests that are still answered leave jobs, too. */
  async beforeApplicationShutdown(): Promise<void> {
    this.stopped = true;
    this.bell.notify();
    await this.loop;
  }

  private async runLoop(): Promise<void> {
    while (!this.stopped) {
      try {
        while (this.canRelay() && (await this.relay()));
      } catch (error) {
        this.logFailure(error);
      }
      await this.bell.wait(this.config.OUTBOX_POLL_MS);
    }
  }

  private canRelay(): boolean {
    return !this.stopped && this.watch.isAvailable;
  }

  /** @returns whether there may be more */
  private async relay(): Promise<boolean> {
    const { atOnce } = this;
    const taken = await this.rows.claim(atOnce, CLAIM_LEASE_MS);
    const { sendable, unsendable } = partitionRows(taken, this.queues);
    await this.deferUnsendable(unsendable);
    const outcomes = await Promise.allSettled([...sendable].map(([queue, those]) => this.send(queue, those)));
    const failed = outcomes.find((outcome) => outcome.status === 'rejected');
    this.atOnce = failed ? Math.max(1, Math.floor(taken.length / 2)) : Math.min(MAX_BATCH_SIZE, 2 * atOnce);
    if (failed) throw failed.reason as Error;
    this.isInTrouble = false;
    return taken.length > 0;
  }

  private async send({ definition, producer }: OutboxQueue, those: OutboxRow[]): Promise<void> {
    try {
      await producer.enqueueMany(those.map(({ payload }) => payload));
    } catch (error) {
      await this.rows.release(those, those.length === 1 ? RETRY_DELAY_MS : 0);
      throw error;
    }
    await this.rows.delete(those);
    this.metrics.recordSent(definition.name, those.length);
  }

  private async deferUnsendable(unsendable: UnsendableRow[]): Promise<void> {
    const patienceMs = this.config.OUTBOX_PATIENCE_MS;
    const setAside = await this.rows.deferUnsendable(unsendable, {
      forMs: patienceMs / MAX_UNSENDABLE_ATTEMPTS,
      patienceMs,
    });
    for (const { id, queue, reason: why } of unsendable.filter((one) => setAside.includes(one.id)))
      this.context.logger.error({ outboxId: id, queue, why }, 'a job cannot be sent and was set aside');
  }

  /** The rows say what is to be sent. One line says so, and not one for each look. */
  private logFailure(error: unknown): void {
    if (!this.isInTrouble) this.context.logger.warn({ err: error }, 'the outbox is left to a later look');
    this.isInTrouble = true;
  }
}
