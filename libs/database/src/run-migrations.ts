import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { MigrationExecutor, type QueryRunner } from 'typeorm';
import { z } from 'zod';
import { createDataSource, type DataSourceSettings } from './create-data-source.js';

export type MigrationSettings = Omit<
  DataSourceSettings,
  'poolSize' | 'applicationName' | 'onConnectionLost' | 'statementTimeoutMs'
>;

/** Longer than any migration of ours takes, for the one that waits for another. */
const LOCK_TIMEOUT_MS = 10 * 60_000;
const LOCK_RETRY_DELAY_MS = 100;

const TRY_LOCK = 'SELECT pg_try_advisory_lock(hashtextextended($1, 0)) AS locked';
const lockRows = z.tuple([z.object({ locked: z.boolean() })]);

/**
 * Makes the schema when it is missing and applies what is pending, each migration in a transaction of its own. Two at
 * once both succeed and exactly one applies: the second waits and finds nothing to do. Lock and migrations share one
 * session, so that neither outlives the other; a proxy that pools by transaction cannot be used for this.
 * @returns the names of the migrations that were applied
 */
export async function runMigrations(settings: MigrationSettings): Promise<string[]> {
  const dataSource = createDataSource({
    ...settings,
    poolSize: 1,
    applicationName: `${settings.schema}-migrate`,
    statementTimeoutMs: 0,
    // The statement under way fails too, and that is what gets reported.
    onConnectionLost: () => undefined,
  });
  await dataSource.initialize();
  const runner = dataSource.createQueryRunner();
  try {
    await acquireMigrationLock(runner, settings.schema);
    await ensureSchema(runner, settings.schema);
    const executor = new MigrationExecutor(dataSource, runner);
    executor.transaction = 'each';
    const applied = await executor.executePendingMigrations();
    return applied.map(({ name }) => name);
  } finally {
    await runner.release();
    await dataSource.destroy();
  }
}

/**
 * Held until the session ends. Asked for again and again, because a statement that waits for it would be one that
 * CREATE INDEX CONCURRENTLY of the other one waits for.
 */
async function acquireMigrationLock(runner: QueryRunner, schema: string): Promise<void> {
  const deadline = Date.now() + LOCK_TIMEOUT_MS;
  for (;;) {
    const [{ locked }] = lockRows.parse(await runner.query(TRY_LOCK, [`gatehouse migrate ${schema}`]));
    if (locked) return;
    if (Date.now() > deadline) throw new Error(`Another migration of ${schema} does not come to an end`);
    await sleep(LOCK_RETRY_DELAY_MS);
  }
}

/** Asked first, because CREATE SCHEMA IF NOT EXISTS needs a right that an app's role may not have. */
async function ensureSchema(runner: QueryRunner, schema: string): Promise<void> {
  const found: unknown = await runner.query('SELECT 1 FROM pg_namespace WHERE nspname = $1', [schema]);
  if (Array.isArray(found) && found.length > 0) return;
  await runner.query(`CREATE SCHEMA ${pg.escapeIdentifier(schema)}`);
}
