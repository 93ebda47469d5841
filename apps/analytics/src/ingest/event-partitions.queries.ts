import { type Queryable, queryRows } from '@app/database';
import type { EntityManager } from 'typeorm';
import { z } from 'zod';
import { raiseCompleteFrom } from './complete-events.queries.js';
import { type ExistingPartition, findPartitionEnd, type NewPartition } from './plan-partitions.js';

const LOCK_KEY = `hashtextextended('gatehouse analytics partitions', 0)`;

const lockRows = z.tuple([z.object({ isLocked: z.boolean() })]);

/** Takes the lock of partitions, which belongs to the connection, without waiting: a single instance gets it. */
export async function tryLockPartitions(manager: EntityManager): Promise<boolean> {
  const sql = `SELECT pg_try_advisory_lock(${LOCK_KEY}) AS "isLocked"`;
  return lockRows.parse(await queryRows(manager, sql))[0].isLocked;
}

export async function unlockPartitions(manager: EntityManager): Promise<void> {
  await queryRows(manager, `SELECT pg_advisory_unlock(${LOCK_KEY})`);
}

const LIST_PARTITIONS = `
  SELECT c.relname AS name, CASE
    WHEN i.inhparent IS NULL THEN 'detached' WHEN i.inhdetachpending THEN 'detaching' ELSE 'attached'
  END AS state
  FROM pg_class c
  LEFT JOIN pg_inherits i ON i.inhrelid = c.oid AND i.inhparent = 'analytics.events'::regclass
  WHERE c.relnamespace = 'analytics'::regnamespace AND c.relkind = 'r' AND c.relname ~ '^events_\\d{4}_\\d{2}$'
  ORDER BY c.relname`;

const partitions = z.array(
  z.object({ name: z.string(), state: z.enum(['attached', 'detaching', 'detached']) }),
);

export async function listPartitions(db: Queryable): Promise<ExistingPartition[]> {
  return partitions.parse(await queryRows(db, LIST_PARTITIONS));
}

const times = z.tuple([z.object({ now: z.number() })]);

/** The database's time in milliseconds since 1970. */
export async function loadTime(db: Queryable): Promise<number> {
  const sql = 'SELECT floor(extract(epoch FROM clock_timestamp()) * 1000)::float8 AS now';
  return times.parse(await queryRows(db, sql))[0].now;
}

/** Attaches a new table instead of creating a partition, because that would wait for all who use the other partitions. */
export async function createPartition(
  manager: EntityManager,
  { name, begin, end }: NewPartition,
): Promise<void> {
  await queryRows(
    manager,
    `CREATE TABLE IF NOT EXISTS analytics.${name} (LIKE analytics.events INCLUDING DEFAULTS INCLUDING INDEXES)`,
  );
  await queryRows(
    manager,
    `ALTER TABLE analytics.events ATTACH PARTITION analytics.${name} FOR VALUES FROM ('${begin}') TO ('${end}')`,
  );
}

/**
 * Removes a partition without keeping anyone from the others. It waits for transactions that use the table, up to the
 * timeouts of the connection; what was begun is finished by the next call. Not in a transaction.
 */
export async function dropPartition(manager: EntityManager, partition: ExistingPartition): Promise<void> {
  const { name, state } = partition;
  await raiseCompleteFrom(manager, findPartitionEnd(partition));
  if (state !== 'detached') {
    const how = state === 'detaching' ? 'FINALIZE' : 'CONCURRENTLY';
    await queryRows(manager, `ALTER TABLE analytics.events DETACH PARTITION analytics.${name} ${how}`);
  }
  await queryRows(manager, `DROP TABLE analytics.${name}`);
}
