import { rowsOf } from '@app/database';
import type { QueueDefinition } from '@app/queues';
import type { EntityManager } from 'typeorm';
import type { z } from 'zod';

/**
 * Jobs that have to be enqueued if, and only if, a transaction commits: they are rows of it, and the relay puts them onto
 * their queues afterwards, at least once each.
 */
export class Outbox {
  constructor(private readonly schema: string) {}

  /** Within the transaction of what the jobs tell. */
  async add<D extends QueueDefinition>(
    manager: EntityManager,
    { name, payload }: D,
    jobs: readonly z.input<D['payload']>[],
  ): Promise<void> {
    if (jobs.length === 0) return;
    const payloads = jobs.map((job) => payload.parse(job));
    await rowsOf(
      manager,
      `INSERT INTO ${this.schema}.outbox (queue, payload) SELECT $1, jsonb_array_elements($2::jsonb)`,
      [name, JSON.stringify(payloads)],
    );
  }
}
