import { runAfterCommit, queryRows } from '@app/database';
import type { QueueDefinition } from '@app/queues';
import { Inject, Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import type { z } from 'zod';
import { OutboxSignal } from './outbox-signal.js';
import { OUTBOX_OPTIONS, type OutboxOptions } from './outbox-options.js';

/**
 * Jobs that have to be enqueued if, and only if, a transaction commits: they are rows of it, and the relay puts them onto
 * their queues afterwards, at least once each.
 */
@Injectable()
export class OutboxService {
  constructor(
    @Inject(OUTBOX_OPTIONS) private readonly settings: OutboxOptions,
    private readonly bell: OutboxSignal,
  ) {}

  /** Within the transaction of what the jobs tell. @throws ZodError for a job that is not what its queue carries */
  async add<D extends QueueDefinition>(
    manager: EntityManager,
    definition: D,
    jobs: readonly z.input<D['payload']>[],
  ): Promise<void> {
    const { schema, queues } = this.settings;
    const { name, payload } = definition;
    if (!queues.includes(definition)) throw new Error(`The outbox of ${schema} has no queue ${name}`);
    if (jobs.length === 0) return;
    const payloads = jobs.map((job) => payload.parse(job));
    await queryRows(
      manager,
      `INSERT INTO ${schema}.outbox (queue, payload) SELECT $1, jsonb_array_elements($2::jsonb)`,
      [name, JSON.stringify(payloads)],
    );
    runAfterCommit(manager, () => {
      this.bell.notify();
    });
  }
}
