import { expect, it } from '@jest/globals';
import { listFiles, read } from '../support/project-files.js';

const NAME = '((?:\\w+\\.)?[\\w${}]+)';
const CREATED = new RegExp(`CREATE TABLE (?:IF NOT EXISTS )?${NAME}`, 'g');
const BLOCKING_INDEX = new RegExp(`CREATE (?:UNIQUE )?INDEX (?!CONCURRENTLY)[^;\`']*? ON ${NAME}`, 'g');
/** Statements that lock a table against writes until the end of the transaction. */
const LOCKED = [
  `(?:ALTER|DROP|LOCK) TABLE (?:IF EXISTS )?(?:ONLY )?${NAME}`,
  BLOCKING_INDEX.source,
  `CREATE (?:OR REPLACE )?(?:CONSTRAINT )?TRIGGER [^;\`']*? ON ${NAME}`,
].map((pattern) => new RegExp(pattern, 'g'));

const find = (sql: string, pattern: RegExp): string[] =>
  [...sql.matchAll(pattern)].map(([, table = '']) => table);

/** Tables that may have rows and that are locked, but for those that foreign keys of new tables refer to. */
function listLocked(sql: string): string[] {
  const created = new Set(find(sql, CREATED));
  const locked = LOCKED.flatMap((pattern) => find(sql, pattern));
  return [...new Set(locked)].filter((table) => !created.has(table)).sort();
}

it('migrations: none alters two tables in one transaction, which deadlocks with an app that writes to both', () => {
  const files = listFiles(['.ts'], 'apps').filter((file) => /\/src\/migrations\/\d+-/.test(file));
  expect(files.length).toBeGreaterThanOrEqual(5);
  const found = files
    .map((file) => ({ file, sql: read(file) }))
    .filter(({ sql }) => !sql.includes('transaction = false'))
    .map(({ file, sql }) => ({ file, tables: listLocked(sql.split('async down(')[0] ?? '') }));
  expect(found.filter(({ tables }) => tables.length > 1)).toEqual([]);
});

it('migrations: none after a baseline blocks writes to a table while it makes an index', () => {
  const files = listFiles(['.ts'], 'apps').filter((file) => /\/src\/migrations\/\d+-(?!baseline)/.test(file));
  expect(files.length).toBeGreaterThan(0);
  const found = files.map((file) => {
    const sql = read(file);
    const created = new Set(find(sql, CREATED));
    return { file, tables: find(sql, BLOCKING_INDEX).filter((table) => !created.has(table)) };
  });
  expect(found.filter(({ tables }) => tables.length > 0)).toEqual([]);
});
