import type { EntityManager, QueryRunner } from 'typeorm';

const callbacksByRunner = new WeakMap<QueryRunner, (() => void)[]>();

/**
 * Runs the callback after the manager's transaction has committed, never after a rollback, and at once without a
 * transaction. Only for notifications that may be lost: it does not run when the process ends in between.
 */
export function runAfterCommit(manager: EntityManager, callback: () => void): void {
  const { queryRunner } = manager;
  if (!queryRunner) throw new Error('Needs a manager of Database.withConnection or Database.transaction.');
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
