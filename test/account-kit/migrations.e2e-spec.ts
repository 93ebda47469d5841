import { expect, it } from '@jest/globals';
import 'reflect-metadata';
import { createDataSource, runMigrations } from '@app/database';
import { storage } from '../../apps/account-kit/src/database/storage.js';
import { databasePool } from '../support/database-pool.js';
import { freshDatabase } from '../support/fresh-database.js';
import { until } from '../support/until.js';

const indexOf = (start: string) => storage.migrations.findIndex(({ name }) => name.startsWith(start));
/** The number of migrations from the one of action keys on. */
const FROM_ACTION_KEYS = storage.migrations.length - indexOf('ActionKeys');
const FROM_REFUSED_TRANSACTIONS = indexOf('RefusedTransactions');

async function undoMigrations(url: string, count: number): Promise<void> {
  const dataSource = createDataSource({
    ...storage,
    url,
    poolSize: 1,
    applicationName: 'undo',
    onConnectionLost: () => undefined,
  });
  await dataSource.initialize();
  try {
    for (let undone = 0; undone < count; undone += 1)
      await dataSource.undoLastMigration({ transaction: 'none' });
  } finally {
    await dataSource.destroy();
  }
}

it('migrations of account-kit: leave listed actions the key that applications share, also those that the previous release lists', async () => {
  const database = await freshDatabase('account-kit');
  const pool = databasePool(database.url);
  // Lists an action as the previous release does, before and after the migration.
  const list = (cid: string) =>
    pool.query(
      `INSERT INTO account_kit.custom_actions (client_id, cid, source, size) VALUES ('client', $1, '', 0)`,
      [cid],
    );
  try {
    await undoMigrations(database.url, FROM_ACTION_KEYS);
    await list('before');
    await runMigrations({ ...storage, url: database.url });
    await list('after');
    const { rows } = await pool.query('SELECT cid, key_scope FROM account_kit.custom_actions ORDER BY cid');
    expect(rows).toEqual([
      { cid: 'after', key_scope: 'account' },
      { cid: 'before', key_scope: 'account' },
    ]);
  } finally {
    await pool.end();
    await database.drop();
  }
});

it.each(storage.migrations.slice(FROM_REFUSED_TRANSACTIONS).map(({ name }) => name))(
  '%s: locks no two tables at once that an executor writes in one transaction',
  async (name) => {
    const database = await freshDatabase('account-kit');
    const pool = databasePool(database.url);
    const index = indexOf(name);
    const executor = await pool.connect();
    let isDone = false;
    try {
      await undoMigrations(database.url, storage.migrations.length - index);
      // An insert of a variant locks its table first, and with its foreign key that of the transactions.
      await executor.query('BEGIN');
      await executor.query('LOCK TABLE account_kit.executor_transaction_variants IN ROW EXCLUSIVE MODE');
      const settings = { ...storage, migrations: storage.migrations.slice(0, index + 1), url: database.url };
      const migration = runMigrations(settings).finally(() => (isDone = true));
      await until('the migration is done, or waits for the executor', async () => {
        const { rows } = await pool.query(
          `SELECT FROM pg_stat_activity WHERE datname = current_database() AND application_name LIKE '%-migrate' AND wait_event_type = 'Lock'`,
        );
        return isDone || rows.length > 0;
      });
      await executor.query('SELECT FROM account_kit.executor_transactions FOR KEY SHARE');
      await executor.query('COMMIT');
      await expect(migration).resolves.toHaveLength(1);
    } finally {
      executor.release();
      await pool.end();
      await database.drop();
    }
  },
);
