import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import 'reflect-metadata';
import { createDataSource, runMigrations } from '@app/database';
import { storage as accountKit } from '../../apps/account-kit/src/database/storage.js';
import { storage as analytics } from '../../apps/analytics/src/database/storage.js';
import { storage as gateway } from '../../apps/gateway/src/pipeline/limit/storage.js';
import { storage as identity } from '../../apps/identity/src/database/storage.js';
import { storage as tokenGating } from '../../apps/token-gating/src/database/storage.js';
import { queryDatabase } from '../identity/query-database.js';
import { freshDatabase, type FreshDatabase } from '../support/fresh-database.js';

/** The number of migrations that the baseline of each app replaces. */
const APPS = [
  { app: 'account-kit', storage: accountKit, replaced: 29 },
  { app: 'analytics', storage: analytics, replaced: 8 },
  { app: 'gateway', storage: gateway, replaced: 1 },
  { app: 'identity', storage: identity, replaced: 35 },
  { app: 'token-gating', storage: tokenGating, replaced: 32 },
];
const BASELINE = 'Baseline1795132801000';

describe.each(APPS)('baseline of $app', ({ app, storage, replaced }) => {
  const { schema } = storage;
  let database: FreshDatabase;

  beforeEach(async () => {
    database = await freshDatabase(app);
  });

  afterEach(async () => {
    await database.drop();
  });

  const query = (sql: string) => queryDatabase(database.url, sql);
  const migrate = () => runMigrations({ ...storage, url: database.url });

  /** Makes the database one that has run this many migrations of earlier builds. */
  async function pretendToHaveRun(count: number): Promise<void> {
    await query(`DELETE FROM ${schema}.migrations`);
    await query(
      `INSERT INTO ${schema}.migrations (timestamp, name) SELECT n, 'Earlier' || n FROM generate_series(1, ${String(count)}) AS n`,
    );
  }

  it('baseline: records itself, and changes nothing, where the migrations that it replaces were run', async () => {
    await pretendToHaveRun(replaced);
    const tables = `SELECT oid, relname FROM pg_class WHERE relnamespace = '${schema}'::regnamespace ORDER BY oid`;
    const before = await query(tables);
    expect((await migrate())[0]).toBe(BASELINE);
    expect(await query(tables)).toEqual(before);
    expect(await migrate()).toEqual([]);
  });

  it.each([replaced - 1, replaced + 1].filter((count) => count > 0))(
    'baseline: names the commit to migrate with first where another number of migrations were run (%s)',
    async (count) => {
      await pretendToHaveRun(count);
      const sentence = `The schema ${schema} has run ${String(count)} of the ${String(replaced)} migrations of earlier builds, which this build does not have. Run the migrations of commit 4790f57c first, then those of this build.`;
      await expect(migrate()).rejects.toThrow(sentence);
      expect(await query(`SELECT FROM ${schema}.migrations`)).toHaveLength(count);
    },
  );

  it('migrations: can all be reverted and applied again', async () => {
    const dataSource = createDataSource({
      ...storage,
      url: database.url,
      poolSize: 1,
      applicationName: 'undo',
      onConnectionLost: () => undefined,
    });
    await dataSource.initialize();
    try {
      for (const _ of storage.migrations) await dataSource.undoLastMigration({ transaction: 'none' });
    } finally {
      await dataSource.destroy();
    }
    const tables = `SELECT tablename FROM pg_tables WHERE schemaname = '${schema}'`;
    expect(await query(tables)).toEqual([{ tablename: 'migrations' }]);
    expect(await migrate()).toEqual(storage.migrations.map(({ name }) => name));
  });
});
