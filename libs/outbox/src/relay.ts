import { BackendWatch, QUEUES_CONTEXT, type QueuesContext } from '@app/queues';
import {
  type BeforeApplicationShutdown,
  Inject,
  Injectable,
  type OnApplicationBootstrap,
} from '@nestjs/common';
import { OutboxBell } from './outbox-bell.js';
import { OutboxMetrics } from './outbox-metrics.js';
import { OUTBOX_QUEUES, type OutboxQueue } from './outbox-queue.js';
import { type OutboxRow, OutboxRows, type Unsendable } from './outbox-rows.js';
import { OutboxConfig } from './outbox.config.js';
import { sortRows } from './sort-rows.js';

/** As many jobs as the backend is asked to take at once, in QUEUE_ENQUEUE_TIMEOUT_MS. */
const MOST_ROWS = 200;
/** After this long others may take the rows of an instance that was lost. Longer than enqueueing may be told to take. */
const TAKEN_FOR_MS = 15_000;
/** A job that is refused by itself lets those behind it pass. */
const ALONE_MS = 5_000;
/** How often rows that cannot be sent come back before they are set aside. */
const LOOKS = 10;

/**
 * Puts the jobs of an outbox onto their queues: at once when the bell rings here, and otherwise when it looks. Any number
 * of instances share the work through the rows. While the backend is away they wait.
 */
@Injectable()
export class Relay implements OnApplicationBootstrap, BeforeApplicationShutdown {
  private stopped = false;
  private isInTrouble = false;
  /** Fewer after a failure, down to one: jobs may be too large for so many at once. */
  private atOnce = MOST_ROWS;
  private loop: Promise<void> = Promise.resolve();

  constructor(
    private readonly config: OutboxConfig,
    private readonly rows: OutboxRows,
    @Inject(OUTBOX_QUEUES) private readonly queues: readonly OutboxQueue[],
    private readonly bell: OutboxBell,
    private readonly watch: BackendWatch,
    private readonly metrics: OutboxMetrics,
    @Inject(QUEUES_CONTEXT) private readonly context: QueuesContext,
  ) {}

  onApplicationBootstrap(): void {
    this.loop = this.relayOnAndOn();
  }

  /** Not at draining already: requests that are still answered leave jobs, too. */
  async beforeApplicationShutdown(): Promise<void> {
    this.stopped = true;
    this.bell.ring();
    await this.loop;
  }

  private async relayOnAndOn(): Promise<void> {
    while (!this.stopped) {
      try {
        while (this.mayRelay() && (await this.relay()));
      } catch (error) {
        this.leaveToLater(error);
      }
      await this.bell.wait(this.config.OUTBOX_POLL_MS);
    }
  }

  private mayRelay(): boolean {
    return !this.stopped && this.watch.isUsable;
  }

  /** @returns whether there may be more */
  private async relay(): Promise<boolean> {
    const { atOnce } = this;
    const taken = await this.rows.take(atOnce, TAKEN_FOR_MS);
    const { sendable, unsendable } = sortRows(taken, this.queues);
    await this.putOff(unsendable);
    const outcomes = await Promise.allSettled([...sendable].map(([queue, those]) => this.send(queue, those)));
    const failed = outcomes.find((outcome) => outcome.status === 'rejected');
    this.atOnce = failed ? Math.max(1, Math.floor(taken.length / 2)) : Math.min(MOST_ROWS, 2 * atOnce);
    if (failed) throw failed.reason as Error;
    this.isInTrouble = false;
    return taken.length > 0;
  }

  private async send({ definition, producer }: OutboxQueue, those: OutboxRow[]): Promise<void> {
    try {
      await producer.enqueueMany(those.map(({ payload }) => payload));
    } catch (error) {
      await this.rows.putBack(those, those.length === 1 ? ALONE_MS : 0);
      throw error;
    }
    await this.rows.remove(those);
    this.metrics.sent(definition.name, those.length);
  }

  private async putOff(unsendable: Unsendable[]): Promise<void> {
    const patienceMs = this.config.OUTBOX_PATIENCE_MS;
    const setAside = await this.rows.putOff(unsendable, { forMs: patienceMs / LOOKS, patienceMs });
    for (const { id, queue, why } of unsendable.filter((one) => setAside.includes(one.id)))
      this.context.logger.error({ outboxId: id, queue, why }, 'a job cannot be sent and was set aside');
  }

  /** The rows say what is to be sent. One line says so, and not one for each look. */
  private leaveToLater(error: unknown): void {
    if (!this.isInTrouble) this.context.logger.warn({ err: error }, 'the outbox is left to a later look');
    this.isInTrouble = true;
  }
}
