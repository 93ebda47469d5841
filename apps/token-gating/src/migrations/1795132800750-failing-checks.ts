import type { MigrationInterface, QueryRunner } from 'typeorm';

/** When the reads of a check first failed. */
export class FailingChecks1795132800750 implements MigrationInterface {
  readonly name = 'FailingChecks1795132800750';

  async up(runner: QueryRunner): Promise<void> {
    // null until reads fail; an instance of the release before goes by created_at
    await runner.query('ALTER TABLE token_gating.checks ADD COLUMN failing_since timestamptz');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE token_gating.checks DROP COLUMN failing_since');
  }
}
