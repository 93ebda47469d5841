import pg from 'pg';
import type { DataSource, QueryRunner } from 'typeorm';
import { z } from 'zod';
import { MIGRATIONS_TABLE } from './create-data-source.js';

const migrationRows = z.array(z.object({ name: z.string() }));

function formatMigrationsTable(dataSource: DataSource): string {
  const { schema } = dataSource.options as { schema: string };
  return `${pg.escapeIdentifier(schema)}.${pg.escapeIdentifier(MIGRATIONS_TABLE)}`;
}

/** Names of this build's migrations that are not applied. */
export async function listPendingMigrations(dataSource: DataSource, runner: QueryRunner): Promise<string[]> {
  const known = dataSource.migrations.map(({ name, constructor }) => name ?? constructor.name);
  const table = formatMigrationsTable(dataSource);
  const [{ exists }] = z
    .tuple([z.object({ exists: z.boolean() })])
    .parse(await runner.query('SELECT to_regclass($1) IS NOT NULL AS exists', [table]));
  if (!exists) return known;
  const applied = migrationRows
    .parse(await runner.query(`SELECT name FROM ${table}`))
    .map(({ name }) => name);
  return known.filter((name) => !applied.includes(name));
}
