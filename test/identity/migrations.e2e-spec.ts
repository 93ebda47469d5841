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

  const migrate = async () => {
    const file = migrateCommands(root).find(({ app }) => app === 'identity')?.file ?? '';
    const env = { DATABASE_URL: database.url, PATH: process.env.PATH };
    return (await run(process.execPath, [file], { env, timeout: 120_000 })).stdout;
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
