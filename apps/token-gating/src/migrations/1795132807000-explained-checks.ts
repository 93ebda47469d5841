import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Keeps the explanations of asynchronous checks. They are apart from the result, which callbacks and the results queue send. */
export class ExplainedChecks1795132807000 implements MigrationInterface {
  readonly name = 'ExplainedChecks1795132807000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE token_gating.checks ADD COLUMN IF NOT EXISTS explanations jsonb');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE token_gating.checks DROP COLUMN IF EXISTS explanations');
  }
}
