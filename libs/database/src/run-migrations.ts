import { MINUTE_MS, formatErrorReason } from '@app/common';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { MigrationExecutor, type QueryRunner } from 'typeorm';
import { z } from 'zod';
import { createDataSource, type DataSourceSettings } from './create-data-source.js';
import { InvalidConfigurationError, loadConfig } from '@app/config';
import { databaseConfigSchema } from './database.config.js';

type MigrationSettings = Omit<
  DataSourceSettings,
  'poolSize' | 'applicationName' | 'onConnectionLost' | 'statementTimeoutMs'
>;

/** The wait for the lock of another instance's migrations, longer than any migration takes. */
const LOCK_TIMEOUT_MS = 10 * MINUTE_MS;
const LOCK_RETRY_DELAY_MS = 100;

const TRY_LOCK = 'SELECT pg_try_advisory_lock(hashtextextended($1, 0)) AS locked';
const lockRows = z.tuple([z.object({ locked: z.boolean() })]);

/**
 * Creates the schema if it is missing and applies pending migrations, each in its own transaction. Of concurrent runs all
 * succeed and exactly one applies. The advisory lock belongs to the session, so that a proxy that pools by transaction
 * does not work here.
 * @returns the names of the applied migrations
 */
export async function runMigrations(settings: MigrationSettings): Promise<string[]> {
  const dataSource = createDataSource({
    ...settings,
    poolSize: 1,
    applicationName: `${settings.schema}-migrate`,
    statementTimeoutMs: 0,
    // The running statement fails too, and its error is reported.
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
 * Takes a lock until the session ends. Polls, because CREATE INDEX CONCURRENTLY of another run would wait for the
 * transaction of a blocking lock statement, a deadlock.
 */
async function acquireMigrationLock(runner: QueryRunner, schema: string): Promise<void> {
  const deadline = Date.now() + LOCK_TIMEOUT_MS;
  for (;;) {
    const [{ locked }] = lockRows.parse(await runner.query(TRY_LOCK, [`gatehouse migrate ${schema}`]));
    if (locked) return;
    if (Date.now() > deadline) throw new Error(`Timed out waiting for another migration of ${schema}`);
    await sleep(LOCK_RETRY_DELAY_MS);
  }
}

/** Checks first, because CREATE SCHEMA IF NOT EXISTS needs a privilege that an app's role may lack. */
async function ensureSchema(runner: QueryRunner, schema: string): Promise<void> {
  const found: unknown = await runner.query('SELECT 1 FROM pg_namespace WHERE nspname = $1', [schema]);
  if (Array.isArray(found) && found.length > 0) return;
  await runner.query(`CREATE SCHEMA ${pg.escapeIdentifier(schema)}`);
}

/**
 * An app's `migrate` command: applies pending migrations at `DATABASE_URL` and prints their names. Sets exit code 78
 * (EX_CONFIG) for an invalid environment, and 1 for any other failure.
 */
export async function runMigrateCommand(settings: Omit<MigrationSettings, 'url'>): Promise<void> {
  const print = (text: string) => process.stdout.write(`${settings.schema}: ${text}\n`);
  try {
    const { DATABASE_URL } = loadConfig(databaseConfigSchema);
    const applied = await runMigrations({ ...settings, url: DATABASE_URL });
    if (applied.length === 0) print('nothing to apply');
    for (const name of applied) print(`applied ${name}`);
  } catch (error) {
    const isConfiguration = error instanceof InvalidConfigurationError;
    process.stderr.write(`${settings.schema}: ${formatErrorReason(error)}\n`);
    process.exitCode = isConfiguration ? 78 : 1;
  }
}
