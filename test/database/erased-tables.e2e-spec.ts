import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { root } from '../../scripts/build/project.mjs';
import { queryDatabase } from '../identity/query-database.js';
import { freshDatabase, type FreshDatabase } from '../support/fresh-database.js';

const APPS = ['account-kit', 'analytics', 'gateway', 'identity', 'token-gating'];

/** Columns that hold a user id, or a hash of it. Owners and actors are users. */
const USER_COLUMN = '(^|_)(user|owner|actor)_(id|ids|hash)$';

/** The rows `| schema.table | … |` of the section on erasure. */
function listDocumentedTables(): string[] {
  const [, section = ''] = readFileSync(join(root, 'docs/operations.md'), 'utf8').split(
    '\n## Erase a user\n',
  );
  const [rows = ''] = section.split('\n## ');
  return [...rows.matchAll(/^\| `([a-z_]+\.[a-z_]+)` +\| \S/gm)].map(([, table = '']) => table);
}

describe('tables with a user id', () => {
  let database: FreshDatabase;

  beforeAll(async () => {
    database = await freshDatabase(...APPS);
  });

  afterAll(async () => {
    await database.drop();
  });

  it('erasures: docs/operations.md says of every table with a user id what an erasure does with it', async () => {
    // Partitions are parts of their table.
    const sql = `
      SELECT DISTINCT nspname || '.' || relname AS "table"
      FROM pg_class c JOIN pg_namespace n ON n.oid = relnamespace JOIN pg_attribute a ON attrelid = c.oid
      WHERE nspname = ANY ($1::text[]) AND relkind IN ('r', 'p') AND NOT relispartition AND NOT attisdropped
        AND attname ~ $2`;
    const schemas = APPS.map((app) => app.replaceAll('-', '_'));
    const rows = (await queryDatabase(database.url, sql, [schemas, USER_COLUMN])) as { table: string }[];
    expect(rows.length).toBeGreaterThan(20);
    const documented = new Set(listDocumentedTables());
    expect(rows.map(({ table }) => table).filter((table) => !documented.has(table))).toEqual([]);
  });
});
