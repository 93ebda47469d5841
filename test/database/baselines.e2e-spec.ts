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

/** The number of migrations that the baseline of each app replaces, and the newest of them. */
const APPS = [
  { app: 'account-kit', storage: accountKit, replaced: 29, newest: 'SolanaFees1795132800900' },
  { app: 'analytics', storage: analytics, replaced: 8, newest: 'ErasureProgress1795132800180' },
  { app: 'gateway', storage: gateway, replaced: 1, newest: 'MonthUsage1795132800001' },
  { app: 'identity', storage: identity, replaced: 35, newest: 'UsesOfPasskeys1795132800872' },
  { app: 'token-gating', storage: tokenGating, replaced: 32, newest: 'TokensOfCredentials1795132800911' },
];
const BASELINE = 'Baseline1795132801000';

describe.each(APPS)('baseline of $app', ({ app, storage, replaced, newest }) => {
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
  async function pretendToHaveRun(count: number, last: string): Promise<void> {
    await query(`DELETE FROM ${schema}.migrations`);
    await query(
      `INSERT INTO ${schema}.migrations (timestamp, name)
       SELECT n, CASE n WHEN ${String(count)} THEN '${last}' ELSE 'Earlier' || n END FROM generate_series(1, ${String(count)}) AS n`,
    );
  }

  it('baseline: records itself, and changes nothing, where the migrations that it replaces were run', async () => {
    await pretendToHaveRun(replaced, newest);
    // Migrations after the baseline may make an index again, because a CONCURRENTLY that failed leaves an invalid one.
    const relations = `
      SELECT CASE WHEN relkind <> 'i' THEN oid END AS oid, relname FROM pg_class
      WHERE relnamespace = '${schema}'::regnamespace ORDER BY relname`;
    const before = await query(relations);
    expect((await migrate())[0]).toBe(BASELINE);
    expect(await query(relations)).toEqual(before);
    expect(await migrate()).toEqual([]);
  });

  it.each([
    { count: replaced - 1, last: 'Earlier' },
    { count: replaced + 1, last: newest },
    { count: replaced, last: 'Other' },
  ])(
    'baseline: names the commit to migrate with first where other migrations were run (%j)',
    async ({ count, last }) => {
      if (count === 0) return;
      await pretendToHaveRun(count, last);
      const sentence = `The schema ${schema} has run ${String(count)} migrations of earlier builds, the newest ${last}; this build replaces ${String(replaced)}, the newest ${newest}. Run the migrations of commit 4790f57c first`;
      await expect(migrate()).rejects.toThrow(sentence);
      expect(await query(`SELECT FROM ${schema}.migrations`)).toHaveLength(count);
    },
  );

  it.each(['made by the baseline', 'made by the migrations that it replaces'])(
    'migrations: can all be reverted and applied again in a database that was %s',
    async (made) => {
      if (made !== 'made by the baseline') {
        await pretendToHaveRun(replaced, newest);
        await migrate();
      }
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
    },
  );
});
