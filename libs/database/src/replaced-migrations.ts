import type { QueryRunner } from 'typeorm';
import { z } from 'zod';
import { MIGRATIONS_TABLE } from './create-data-source.js';

/** The last commit whose apps have the migrations that baselines replace (docs/adr/0102). */
const LAST_COMMIT_BEFORE_BASELINES = '4790f57c';

const appliedRows = z.tuple([z.object({ applied: z.number() })]);

/**
 * A baseline replaces all migrations before it. A database that has run them needs nothing of it.
 * @param count the number of migrations that the baseline replaces
 * @throws Error for a database that has run some of them: the others are in earlier builds only
 */
export async function hasReplacedMigrations(
  runner: QueryRunner,
  schema: string,
  count: number,
): Promise<boolean> {
  const sql = `SELECT count(*)::int AS applied FROM ${schema}.${MIGRATIONS_TABLE}`;
  const [{ applied }] = appliedRows.parse(await runner.query(sql));
  if (applied === 0 || applied === count) return applied > 0;
  throw new Error(
    `The schema ${schema} has run ${String(applied)} of the ${String(count)} migrations of earlier builds, which this build ` +
      `does not have. Run the migrations of commit ${LAST_COMMIT_BEFORE_BASELINES} first, then those of this build.`,
  );
}
