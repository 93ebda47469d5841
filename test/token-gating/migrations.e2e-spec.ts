import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import 'reflect-metadata';
import { createDataSource, runMigrations } from '@app/database';
import { storage } from '../../apps/token-gating/src/database/storage.js';
import { queryDatabase } from '../identity/query-database.js';
import { freshDatabase, type FreshDatabase } from '../support/fresh-database.js';

/** The number of migrations from the one of role callbacks on. */
const FROM_ROLE_CALLBACKS =
  storage.migrations.length -
  storage.migrations.findIndex(({ name }) => name.startsWith('RoleCallbackContent'));
const ROLE_CALLBACK = 'a0000000-0000-4000-8000-000000000000';

describe('migrations of token-gating', () => {
  let database: FreshDatabase;

  beforeAll(async () => {
    database = await freshDatabase('token-gating');
  });

  afterAll(async () => {
    await database.drop();
  });

  const undo = async (count: number) => {
    const dataSource = createDataSource({
      ...storage,
      url: database.url,
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
  };

  it('migrations of token-gating: make role callbacks finished checks again when they are reverted', async () => {
    const payload = { communityId: 'c', userId: 'u', at: '2026-11-22T00:00:00.000Z', roles: [{ id: 'r' }] };
    await queryDatabase(
      database.url,
      `INSERT INTO token_gating.deliveries (id, request_id, client_id, payload, url, next_attempt_at, expires_at)
       SELECT 'msg_' || n, $1, 'client_1', $2, 'https://a.example/hook', now(), now() FROM generate_series(1, 2) AS n`,
      [ROLE_CALLBACK, JSON.stringify(payload)],
    );
    await undo(FROM_ROLE_CALLBACKS);
    const { roles, ...subject } = payload;
    const found = await queryDatabase(
      database.url,
      `SELECT d.id, c.client_id, c.callback_url, c.result, c.subject
       FROM token_gating.checks c JOIN token_gating.deliveries d ON d.check_id = c.id WHERE c.id = $1 ORDER BY d.id`,
      [ROLE_CALLBACK],
    );
    const check = {
      client_id: 'client_1',
      callback_url: 'https://a.example/hook',
      result: { roles, errors: [] },
      subject,
    };
    expect(found).toEqual([
      { id: 'msg_1', ...check },
      { id: 'msg_2', ...check },
    ]);
  });

  it('migrations of token-gating: can all be reverted and applied again', async () => {
    await undo(storage.migrations.length - FROM_ROLE_CALLBACKS);
    const tables = `SELECT tablename FROM pg_tables WHERE schemaname = 'token_gating'`;
    expect(await queryDatabase(database.url, tables)).toEqual([{ tablename: 'migrations' }]);
    const applied = await runMigrations({ ...storage, url: database.url });
    expect(applied).toHaveLength(storage.migrations.length);
  });
});
