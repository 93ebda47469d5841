import type { EntityManager } from 'typeorm';

/**
 * The rows of one statement of a transaction, in the one form that `Database.query` has, also of
 * `UPDATE … RETURNING`. They come from outside: parse them.
 */
export async function queryRows(
  manager: EntityManager,
  sql: string,
  parameters: unknown[] = [],
): Promise<unknown[]> {
  const { queryRunner } = manager;
  if (!queryRunner) throw new Error('Only within Database.run or Database.transaction.');
  const { records } = await queryRunner.query(sql, parameters, true);
  return records as unknown[];
}
