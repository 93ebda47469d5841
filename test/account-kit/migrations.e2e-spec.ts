import { expect, it } from '@jest/globals';
import 'reflect-metadata';
import { createDataSource, runMigrations } from '@app/database';
import { storage } from '../../apps/account-kit/src/database/storage.js';
import { databasePool } from '../support/database-pool.js';
import { freshDatabase } from '../support/fresh-database.js';

/** The number of migrations from the one of action keys on. */
const FROM_ACTION_KEYS =
  storage.migrations.length - storage.migrations.findIndex(({ name }) => name.startsWith('ActionKeys'));

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
  // As the previous release lists an action, before and after the migration.
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
