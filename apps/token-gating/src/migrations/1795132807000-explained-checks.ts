import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Keeps the explanations of asynchronous checks. They are apart from the result, which callbacks and the results queue send. */
export class ExplainedChecks1795132807000 implements MigrationInterface {
  readonly name = 'ExplainedChecks1795132807000';
  /** The index is created without blocking writes. Every statement can run again. */
  readonly transaction = false;

  async up(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE token_gating.checks ADD COLUMN IF NOT EXISTS explanations jsonb');
    await runner.query('DROP INDEX CONCURRENTLY IF EXISTS token_gating.checks_explained_index');
    // Erasure of a user looks through explained checks, which are few, instead of through all.
    await runner.query(`
      CREATE INDEX CONCURRENTLY checks_explained_index ON token_gating.checks (id) WHERE explanations IS NOT NULL`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP INDEX CONCURRENTLY IF EXISTS token_gating.checks_explained_index');
    await runner.query('ALTER TABLE token_gating.checks DROP COLUMN IF EXISTS explanations');
  }
}
