import { runAfterCommit } from '@app/database';
import type { QueueDefinition } from '@app/queues';
import { Inject, Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import type { z } from 'zod';
import { OUTBOX_OPTIONS, type OutboxOptions } from './outbox-options.js';
import { OutboxSignal } from './outbox-signal.js';
import { OutboxQueries } from './outbox.queries.js';

/** Transactions of the apps are shorter: their statements time out before. */
const MAX_TRANSACTION_SECONDS = 15;

/**
 * A transactional outbox: jobs are rows of the transaction that causes them, so they are enqueued if and only if it
 * commits. The relay sends each of them at least once.
 */
@Injectable()
export class OutboxService {
  constructor(
    @Inject(OUTBOX_OPTIONS) private readonly options: OutboxOptions,
    private readonly rows: OutboxQueries,
    private readonly signal: OutboxSignal,
  ) {}

  /** The time until which this app's jobs have been sent, but for those of transactions that last unusually long. */
  findSentUntil(): Promise<string> {
    return this.rows.findSentUntil(MAX_TRANSACTION_SECONDS);
  }

  /** Adds jobs within the caller's transaction. @throws ZodError for a job that does not match its queue's schema */
  async add<D extends QueueDefinition>(
    manager: EntityManager,
    definition: D,
    jobs: readonly z.input<D['payload']>[],
  ): Promise<void> {
    const { schema, queues } = this.options;
    const { name, payload } = definition;
    if (!queues.includes(definition)) throw new Error(`The outbox of ${schema} has no queue ${name}`);
    if (jobs.length === 0) return;
    await this.rows.insert(
      manager,
      name,
      jobs.map((job) => payload.parse(job)),
    );
    runAfterCommit(manager, () => {
      this.signal.notify();
    });
  }
}
