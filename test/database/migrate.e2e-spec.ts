import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import 'reflect-metadata';
import { runMigrations } from '@app/database';
import type { MigrationInterface, QueryRunner } from 'typeorm';
import { queryDatabase } from '../identity/query-database.js';
import { freshDatabase, type FreshDatabase } from '../support/fresh-database.js';

/** Slow enough that a concurrent run without a lock would start it, too. */
class Slow1700000000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query('SELECT pg_sleep(0.3)');
    await runner.query('CREATE TABLE "odd schema".notes (id int PRIMARY KEY)');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE "odd schema".notes');
  }
}

class Failing1700000000001 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE "odd schema".notes ADD COLUMN text text');
    await runner.query('SELECT 1/0');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE "odd schema".notes DROP COLUMN text');
  }
}

describe('runMigrations', () => {
  let database: FreshDatabase;

  beforeAll(async () => {
    database = await freshDatabase();
  });

  afterAll(async () => {
    await database.drop();
  });

  const run = (...migrations: (typeof Slow1700000000000)[]) =>
    runMigrations({ url: database.url, schema: 'odd schema', entities: [], migrations });

  it('runMigrations: applies each migration once in concurrent runs, which all succeed', async () => {
    const applied = await Promise.all([
      run(Slow1700000000000),
      run(Slow1700000000000),
      run(Slow1700000000000),
    ]);
    expect(applied.sort((a, b) => a.length - b.length)).toEqual([[], [], ['Slow1700000000000']]);
  });

  it('runMigrations: rolls back a failed migration, and can run again', async () => {
    const columns = `SELECT count(*)::int AS columns FROM information_schema.columns WHERE table_name = 'notes'`;
    await expect(run(Slow1700000000000, Failing1700000000001)).rejects.toThrow('division by zero');
    expect(await queryDatabase(database.url, columns)).toEqual([{ columns: 1 }]);
    expect(await run(Slow1700000000000)).toEqual([]);
  });

  it('runMigrations: needs no privilege to create an existing schema', async () => {
    const role = `migrator_${Date.now()}`;
    const password = 'only-for-this-test';
    await queryDatabase(database.url, `CREATE ROLE ${role} LOGIN PASSWORD '${password}'`);
    await queryDatabase(database.url, `GRANT ALL ON SCHEMA "odd schema" TO ${role}`);
    await queryDatabase(database.url, `GRANT ALL ON ALL TABLES IN SCHEMA "odd schema" TO ${role}`);
    const url = new URL(database.url);
    url.username = role;
    url.password = password;
    const settings = { url: url.href, schema: 'odd schema', entities: [], migrations: [Slow1700000000000] };
    expect(await runMigrations(settings)).toEqual([]);
    await queryDatabase(database.url, `DROP OWNED BY ${role}`);
    await queryDatabase(database.url, `DROP ROLE ${role}`);
  });
});
