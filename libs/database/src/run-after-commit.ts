import type { EntityManager, QueryRunner } from 'typeorm';

const callbacksByRunner = new WeakMap<QueryRunner, (() => void)[]>();

/**
 * Calls back when the transaction of this manager has committed, never when it is rolled back; at once where there is no
 * transaction. For hints only: a process that ends in between calls nobody.
 */
export function runAfterCommit(manager: EntityManager, callback: () => void): void {
  const { queryRunner } = manager;
  if (!queryRunner) throw new Error('Only within Database.run or Database.transaction.');
  if (!queryRunner.isTransactionActive) {
    callback();
    return;
  }
  callbacksByRunner.set(queryRunner, [...(callbacksByRunner.get(queryRunner) ?? []), callback]);
}

export function runCommitCallbacks(runner: QueryRunner): void {
  for (const callback of callbacksByRunner.get(runner) ?? []) callback();
  callbacksByRunner.delete(runner);
}
