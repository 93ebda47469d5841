import { summarizeIssues } from '@app/common';
import { setTimeout as sleep } from 'node:timers/promises';
import { RowQueueWorker } from '@app/database';
import { QueueBackendMonitor, type QueueDefinition, QUEUES_CONTEXT, type QueuesContext } from '@app/queues';
import { Inject, Injectable } from '@nestjs/common';
import { OutboxMetrics } from './outbox-metrics.js';
import {
  OUTBOX_OPTIONS,
  type OutboxOptions,
  OUTBOX_QUEUES,
  type OutboxQueue,
  OutboxSignal,
  OutboxConfig,
} from './outbox.config.js';
import { OutboxQueries, type OutboxRow, type UnsendableRow } from './outbox.queries.js';

interface PartitionedRows {
  /** Rows by queue, in order, with validated payloads. */
  sendable: Map<OutboxQueue, OutboxRow[]>;
  unsendable: UnsendableRow[];
}

/** Groups rows by queue, and separates those whose queue or payload this version does not know. */
function partitionRows(rows: readonly OutboxRow[], queues: readonly OutboxQueue[]): PartitionedRows {
  const sendable = new Map<OutboxQueue, OutboxRow[]>();
  const unsendable: UnsendableRow[] = [];
  for (const row of rows) {
    const queue = queues.find(({ definition }) => definition.name === row.queue);
    const { data: payload, error } = queue?.definition.payload.safeParse(row.payload) ?? {};
    if (queue && !error) sendable.set(queue, [...(sendable.get(queue) ?? []), { ...row, payload }]);
    else
      unsendable.push({
        ...{ id: row.id, queue: row.queue },
        reason: error ? summarizeIssues(error.issues) : 'no such queue',
      });
  }
  return { sendable, unsendable };
}

/** The backend must accept this many jobs within QUEUE_ENQUEUE_TIMEOUT_MS. */
const MAX_BATCH_SIZE = 200;
/** Rows of an instance that has died can be claimed again after this time. Must exceed the enqueue timeout. */
const CLAIM_LEASE_MS = 15_000;
/** A job that fails when sent alone waits this long, so that later jobs overtake it. */
const RETRY_DELAY_MS = 5_000;
/** Rows of one window from which on the next one is `busyWindowMs`. */
const BUSY_ROWS = 10;
/** How often an unsendable row comes due before it becomes a dead letter. */
const MAX_UNSENDABLE_ATTEMPTS = 10;

/**
 * Moves jobs from the outbox to their queues: at once when this instance is notified of a commit, otherwise at the next
 * poll. Instances share the work by claiming rows. Rows wait while the queue backend is unavailable. Relays until the shutdown,
 * also while requests drain, because they may add jobs.
 */
@Injectable()
export class OutboxRelayWorker extends RowQueueWorker {
  /** Halved after a failure, down to 1, because a batch of large jobs may exceed what the backend accepts. */
  private batchSize = MAX_BATCH_SIZE;
  private isBusy = false;

  constructor(
    private readonly config: OutboxConfig,
    private readonly rows: OutboxQueries,
    @Inject(OUTBOX_QUEUES) private readonly queues: readonly OutboxQueue[],
    signal: OutboxSignal,
    private readonly backend: QueueBackendMonitor,
    private readonly metrics: OutboxMetrics,
    @Inject(QUEUES_CONTEXT) private readonly context: QueuesContext,
    @Inject(OUTBOX_OPTIONS) private readonly options: OutboxOptions,
  ) {
    super({
      signal,
      pollMs: config.OUTBOX_POLL_MS,
      logger: context.logger,
      failureMessage: 'outbox relay failed; retrying at the next poll',
    });
  }

  protected async work(): Promise<void> {
    const { batchWindowMs = 0, busyWindowMs = batchWindowMs } = this.options;
    const windowMs = this.isBusy ? busyWindowMs : batchWindowMs;
    if (windowMs > 0 && !this.stopped) await sleep(windowMs);
    let rows = 0;
    while (this.canRelay()) {
      const claimed = await this.relay();
      if (claimed === 0) break;
      rows += claimed;
    }
    this.isBusy = rows >= BUSY_ROWS;
  }

  private canRelay(): boolean {
    return !this.stopped && this.backend.isAvailable;
  }

  /** Sends one batch. @returns how many rows it had; more may be due unless it had none */
  private async relay(): Promise<number> {
    const { batchSize } = this;
    const claimed = await this.rows.claim(batchSize, CLAIM_LEASE_MS);
    const { sendable, unsendable } = partitionRows(claimed, this.queues);
    await this.deferUnsendable(unsendable);
    const outcomes = await Promise.allSettled([...sendable].map(([queue, rows]) => this.send(queue, rows)));
    // Rows of all queues are deleted at once. What was sent is sent again if this fails: handlers of jobs expect that.
    await this.rows.delete(
      outcomes.flatMap((outcome) => (outcome.status === 'fulfilled' ? outcome.value : [])),
    );
    const failed = outcomes.find((outcome) => outcome.status === 'rejected');
    this.batchSize = failed
      ? Math.max(1, Math.floor(claimed.length / 2))
      : Math.min(MAX_BATCH_SIZE, 2 * batchSize);
    if (failed) throw failed.reason as Error;
    this.recordSuccess();
    return claimed.length;
  }

  /** @returns the rows, which may be deleted */
  private async send({ definition, producer }: OutboxQueue, rows: OutboxRow[]): Promise<OutboxRow[]> {
    try {
      await this.enqueue(definition, producer, rows);
    } catch (error) {
      await this.rows.release(rows, rows.length === 1 ? RETRY_DELAY_MS : 0);
      throw error;
    }
    this.metrics.recordSent(definition.name, rows.length);
    return rows;
  }

  private async enqueue(
    { merge }: QueueDefinition,
    producer: OutboxQueue['producer'],
    rows: readonly OutboxRow[],
  ): Promise<void> {
    const payloads = rows.map(({ payload }) => payload);
    const traceparents = rows.map(({ traceparent }) => traceparent ?? undefined);
    // A job continues one trace at most.
    if (merge && rows.length > 1) await producer.enqueueValidated(merge(payloads), { traceparents: [] });
    else await producer.enqueueValidated(payloads, { traceparents });
  }

  private async deferUnsendable(unsendable: UnsendableRow[]): Promise<void> {
    const { OUTBOX_UNSENDABLE_TIMEOUT_MS } = this.config;
    const deadLetterIds = await this.rows.deferUnsendable(unsendable, {
      delayMs: OUTBOX_UNSENDABLE_TIMEOUT_MS / MAX_UNSENDABLE_ATTEMPTS,
      timeoutMs: OUTBOX_UNSENDABLE_TIMEOUT_MS,
    });
    for (const { id, queue, reason } of unsendable.filter((row) => deadLetterIds.includes(row.id)))
      this.context.logger.error(
        { outboxId: id, queue, reason },
        'outbox job cannot be sent and was set aside',
      );
  }
}
