import type { EntityManager } from 'typeorm';

/**
 * The rows of one statement on a manager's connection, in the form of `Database.query`. They are not validated: parse
 * them.
 */
export async function queryRows(
  manager: EntityManager,
  sql: string,
  parameters: unknown[] = [],
): Promise<unknown[]> {
  const { queryRunner } = manager;
  if (!queryRunner) throw new Error('Needs a manager of Database.withConnection or Database.transaction.');
  const { records } = await queryRunner.query(sql, parameters, true);
  return records as unknown[];
}
