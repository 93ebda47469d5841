import { type Database, runAfterCommit } from '@app/database';
import type { QueueDefinition } from '@app/queues';
import { Inject, Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import type { z } from 'zod';
import { OUTBOX_OPTIONS, type OutboxOptions, OutboxSignal } from './outbox.config.js';
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
    this.checkQueue(definition);
    const { name, payload } = definition;
    if (jobs.length === 0) return;
    await this.rows.insert(
      manager,
      name,
      jobs.map((job) => payload.parse(job)),
    );
    this.notifyAfterCommit(manager);
  }

  /**
   * SQL of an INSERT that adds jobs as a part of the statement that causes them, where a statement of its own would cost too much. The
   * relay checks them against the schema of their queue. To be followed by `notifyAfterCommit` or `notify`.
   * @param source SQL of a query with the column `payload`; each of its rows is a job in each of the queues
   * @param traceparent SQL of the current traceparent, such as a parameter
   */
  toInsertSql(definitions: readonly QueueDefinition[], source: string, traceparent: string): string {
    for (const definition of definitions) this.checkQueue(definition);
    const names = definitions.map(({ name }) => name);
    return this.rows.toInsertSql(names, source, traceparent);
  }

  /** Wakes the relay; it polls, so that this may be lost. */
  notifyAfterCommit(manager: EntityManager): void {
    runAfterCommit(manager, () => {
      this.notify();
    });
  }

  /** Notifies of rows that are committed already; before the commit, use `notifyAfterCommit`. */
  notify(): void {
    this.signal.notify();
  }

  private checkQueue(definition: QueueDefinition): void {
    const { schema, queues } = this.options;
    if (!queues.includes(definition))
      throw new Error(`The outbox of ${schema} has no queue ${definition.name}`);
  }
}

/** An outbox for commands, outside of an app: the app that has the same outbox sends its jobs at the next poll. */
export const createCommandOutbox = (options: OutboxOptions, database: Database): OutboxService =>
  new OutboxService(options, new OutboxQueries(options, database), new OutboxSignal());
