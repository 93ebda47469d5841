import pg from 'pg';
import { MigrationExecutor, type QueryRunner } from 'typeorm';
import { createDataSource, type DataSourceSettings } from './create-data-source.js';

export type MigrationSettings = Omit<
  DataSourceSettings,
  'poolSize' | 'applicationName' | 'onConnectionLost' | 'statementTimeoutMs'
>;

/** Longer than any migration of ours takes, for the one that waits for another. */
const LOCK_WAIT = '10min';

/**
 * Makes the schema when it is missing and applies what is pending, each migration in a transaction of its own. Two at
 * once both succeed and exactly one applies: the second waits and finds nothing to do. Lock and migrations share one
 * session, so that neither outlives the other; a proxy that pools by transaction cannot be used for this.
 * @returns the names of the migrations that were applied
 */
export async function migrate(settings: MigrationSettings): Promise<string[]> {
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
    await lock(runner, settings.schema);
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

/** Held until the session ends. */
async function lock(runner: QueryRunner, schema: string): Promise<void> {
  await runner.query(`SELECT set_config('lock_timeout', $1, false)`, [LOCK_WAIT]);
  await runner.query('SELECT pg_advisory_lock(hashtextextended($1, 0))', [`gatehouse migrate ${schema}`]);
  // From here on nothing may stand in the way of running apps for long.
  await runner.query('RESET lock_timeout');
}

/** Asked first, because CREATE SCHEMA IF NOT EXISTS needs a right that an app's role may not have. */
async function ensureSchema(runner: QueryRunner, schema: string): Promise<void> {
  const found: unknown = await runner.query('SELECT 1 FROM pg_namespace WHERE nspname = $1', [schema]);
  if (Array.isArray(found) && found.length > 0) return;
  await runner.query(`CREATE SCHEMA ${pg.escapeIdentifier(schema)}`);
}
