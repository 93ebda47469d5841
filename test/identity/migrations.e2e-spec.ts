import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import 'reflect-metadata';
import { createDataSource } from '@app/database';
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { storage } from '../../apps/identity/src/database/storage.js';
import { migrateCommands } from '../../scripts/postgres/migrations.mjs';
import { root } from '../../scripts/build/project.mjs';
import { freshDatabase, type FreshDatabase } from '../support/fresh-database.js';
import { queryDatabase } from './query-database.js';

const run = promisify(execFile);

describe('migrations of identity', () => {
  let database: FreshDatabase;

  beforeAll(async () => {
    database = await freshDatabase();
  });

  afterAll(async () => {
    await database.drop();
  });

  const migrate = async (url = database.url) => {
    const file = migrateCommands(root).find(({ app }) => app === 'identity')?.file ?? '';
    const env = { DATABASE_URL: url, PATH: process.env.PATH };
    return (await run(process.execPath, [file], { env, timeout: 60_000 })).stdout;
  };

  it('migrations of identity: are applied exactly once by concurrent commands', async () => {
    const outputs = await Promise.all([migrate(), migrate(), migrate()]);
    const applied = storage.migrations.map(({ name }) => `identity: applied ${name}\n`).join('');
    expect(outputs.sort()).toEqual([applied, 'identity: nothing to apply\n', 'identity: nothing to apply\n']);
    const rows = await queryDatabase(database.url, 'SELECT count(*)::int AS rows FROM identity.migrations');
    expect(rows).toEqual([{ rows: storage.migrations.length }]);
  });

  it('migrations of identity: create exactly the schema of the entities', async () => {
    const dataSource = createDataSource({
      ...storage,
      url: database.url,
      poolSize: 1,
      applicationName: 'drift',
      onConnectionLost: () => undefined,
      statementTimeoutMs: 5_000,
    });
    await dataSource.initialize();
    try {
      const { upQueries } = await dataSource.driver.createSchemaBuilder().log();
      expect(upQueries.map(({ query }) => query)).toEqual([]);
    } finally {
      await dataSource.destroy();
    }
  });

  it('migrations of identity: can be reverted', async () => {
    const dataSource = createDataSource({
      ...storage,
      url: database.url,
      poolSize: 1,
      applicationName: 'undo',
      onConnectionLost: () => undefined,
      statementTimeoutMs: 5_000,
    });
    await dataSource.initialize();
    try {
      for (const _ of storage.migrations) await dataSource.undoLastMigration();
    } finally {
      await dataSource.destroy();
    }
    const tables = `SELECT tablename FROM pg_tables WHERE schemaname = 'identity'`;
    expect(await queryDatabase(database.url, tables)).toEqual([{ tablename: 'migrations' }]);
    expect(await migrate()).toContain('applied');
  });

  const REVIEWED = { name: 'Shop', status: 'approved', approved: 'user:read' };
  /** Applications as the previous release left them: their rows, their tenant's user, and their audit records, oldest first. */
  const APPLICATIONS: Record<string, { row?: object; user?: string; audit?: [string, string, object][] }> = {
    'self-registered': { user: 'u1', audit: [['user', 'client.created', {}]] },
    'self-registered, pending': {
      row: { status: 'pending' },
      user: 'u2',
      audit: [['user', 'client.created', { scopes: ['accountkit'] }]],
    },
    'made before the audit log': { audit: [] },
    'made for a user on the command line': { user: 'u3', audit: [['command', 'client.created', {}]] },
    'with an approved scope': { row: { status: 'pending', approved: 'accountkit' }, user: 'u4' },
    'approved, without a scope': {
      user: 'u5',
      audit: [
        ['user', 'client.created', {}],
        ['user', 'client.changed', { name: 'Shop' }],
        ['operator', 'client.approved', { revision: 2 }],
        ['user', 'client.changed', { implicit: true }],
      ],
    },
    'approved, then renamed': {
      user: 'u6',
      audit: [
        ['operator', 'client.approved', { revision: 1 }],
        ['user', 'client.changed', { name: 'Your Bank' }],
      ],
    },
    'approved, then rejected': {
      row: { status: 'rejected' },
      user: 'u7',
      audit: [
        ['operator', 'client.approved', { revision: 1 }],
        ['operator', 'client.rejected', { revision: 2 }],
      ],
    },
    'icon set on the command line': {
      user: 'u8',
      audit: [
        ['user', 'client.created', {}],
        ['command', 'client.changed', { iconUrl: 'https://shop.example/icon.png' }],
      ],
    },
  };

  async function insertApplications(query: (sql: string, parameters: unknown[]) => Promise<unknown>) {
    for (const [id, { row, user = null, audit = [] }] of Object.entries(APPLICATIONS)) {
      const { name, status, approved } = { ...REVIEWED, ...row };
      await query(`INSERT INTO identity.plan_holders (id, name, plan, user_id) VALUES ($1, $2, 'free', $3)`, [
        id,
        name,
        user,
      ]);
      await query(
        `INSERT INTO identity.client_applications
           (id, owner_id, name, type, requested_scopes, approved_scopes, status, revision)
         VALUES ($1, $1, $2, 'public', ARRAY[$3], ARRAY[$3], $4, 3)`,
        [id, name, approved, status],
      );
      for (const [kind, action, details] of audit)
        await query(
          `INSERT INTO identity.audit_records (actor_kind, actor_id, action, target, details) VALUES ($1, $2, $3, $4, $5)`,
          [kind, kind === 'command' ? null : 'someone', action, id, JSON.stringify(details)],
        );
    }
  }

  /** An earlier form of the migration that added the columns took every approved application as reviewed. */
  it.each(['the previous release', 'an earlier form of the migration'])(
    'T258: migrations from %s: take as reviewed only what an operator or the command line approved',
    async (from) => {
      const { url, drop } = await freshDatabase('identity');
      const query = (sql: string, parameters: unknown[] = []) => queryDatabase(url, sql, parameters);
      await query(`DELETE FROM identity.migrations WHERE name = 'ReviewsBefore1795132800816'`);
      if (from === 'the previous release') {
        await query(`DELETE FROM identity.migrations WHERE name = 'ReviewedValues1795132800815'`);
        await query(
          'ALTER TABLE identity.client_applications DROP COLUMN waiting_values, DROP COLUMN reviewed_revision',
        );
      }
      await insertApplications(query);
      if (from !== 'the previous release')
        await query(
          `UPDATE identity.client_applications SET reviewed_revision = revision WHERE status = 'approved'`,
        );
      const applied = (await migrate(url)).match(/applied \w+/g);
      const found = await query(
        'SELECT id FROM identity.client_applications WHERE reviewed_revision = revision ORDER BY id',
      );
      await drop();
      expect(applied).toContain('applied ReviewsBefore1795132800816');
      expect(found).toEqual(
        [
          'approved, without a scope',
          'made before the audit log',
          'made for a user on the command line',
          'with an approved scope',
        ].map((id) => ({ id })),
      );
    },
  );

  it('migrations of identity: report an invalid environment', async () => {
    const file = migrateCommands(root).find(({ app }) => app === 'identity')?.file ?? '';
    const env = { DATABASE_URL: 'mysql://u:hunter2@localhost/x', PATH: process.env.PATH };
    const failure: unknown = await run(process.execPath, [file], { env }).catch((error: unknown) => error);
    expect(failure).toMatchObject({
      code: 78,
      stderr: 'identity: The environment is not usable:\n  DATABASE_URL: Invalid URL\n',
    });
  });
});
