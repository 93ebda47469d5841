import type { QueryRunner } from 'typeorm';
import { z } from 'zod';
import { MIGRATIONS_TABLE } from './create-data-source.js';

/** The last commit whose apps have the migrations that baselines replace (docs/adr/0102). */
const LAST_COMMIT_BEFORE_BASELINES = '4790f57c';

/** The migrations that a baseline replaces. */
export interface ReplacedMigrations {
  readonly count: number;
  /** The name of the newest one. */
  readonly newest: string;
}

const appliedRows = z.array(z.object({ name: z.string() }));

/**
 * A baseline replaces all migrations before it. A database that has run them needs nothing of it.
 * @throws Error for a database that has run some of them, or others: they are in earlier builds only
 */
export async function hasReplacedMigrations(
  runner: QueryRunner,
  schema: string,
  { count, newest }: ReplacedMigrations,
): Promise<boolean> {
  const sql = `SELECT name FROM ${schema}.${MIGRATIONS_TABLE} ORDER BY timestamp, id`;
  const applied = appliedRows.parse(await runner.query(sql));
  const last = applied.at(-1)?.name;
  if (last === undefined) return false;
  if (applied.length === count && last === newest) return true;
  throw new Error(
    `The schema ${schema} has run ${String(applied.length)} migrations of earlier builds, the newest ${last}; this build ` +
      `replaces ${String(count)}, the newest ${newest}. Run the migrations of commit ${LAST_COMMIT_BEFORE_BASELINES} first, ` +
      'then those of this build. A database that still differs is to be made anew.',
  );
}

/** Deletes the rows of replaced migrations when a baseline is reverted: they made the tables that are dropped with it. */
export async function forgetReplacedMigrations(
  runner: QueryRunner,
  schema: string,
  baseline: string,
): Promise<void> {
  await runner.query(`DELETE FROM ${schema}.${MIGRATIONS_TABLE} WHERE name <> $1`, [baseline]);
}
