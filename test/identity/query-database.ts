import type pg from 'pg';
import { databasePool } from '../support/database-pool.js';

const pools = new Map<string, pg.Pool>();

/** Runs one statement. Its connection is kept for the next ones, because opening one costs more than most statements. */
export async function queryDatabase(
  url: string,
  sql: string,
  parameters: unknown[] = [],
): Promise<unknown[]> {
  const pool = pools.get(url) ?? newPool(url);
  const { rows } = await pool.query<Record<string, unknown>>(sql, parameters);
  return rows;
}

function newPool(url: string): pg.Pool {
  const options = { connectionTimeoutMillis: 30_000, query_timeout: 60_000, allowExitOnIdle: true };
  const pool = databasePool(url, options);
  pools.set(url, pool);
  return pool;
}
