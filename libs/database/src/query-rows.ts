import type { EntityManager } from 'typeorm';
import { traceStatement } from './trace-statement.js';
import { Database } from './database.js';

/** What runs a statement: the manager of a transaction, or the database with a connection for each statement. */
export type Queryable = Database | EntityManager;

/** The rows of one statement, also of `INSERT … RETURNING`. They are not validated: parse them. */
export async function queryRows(db: Queryable, sql: string, parameters: unknown[] = []): Promise<unknown[]> {
  if (db instanceof Database) return db.query(sql, parameters);
  const { queryRunner } = db;
  if (!queryRunner) throw new Error('Needs a manager of Database.withConnection or Database.transaction.');
  return traceStatement(sql, async () => {
    const { records } = await queryRunner.query(sql, parameters, true);
    return records as unknown[];
  });
}
