import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * Why an operation waits that has not failed, such as for lower fees. An instance of the previous release writes these reasons as `reason`,
 * and its operations count as failed until they are sent.
 */
export class HoldReasons1795132800720 implements MigrationInterface {
  readonly name = 'HoldReasons1795132800720';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE account_kit.user_operations ADD COLUMN hold_reason text');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE account_kit.user_operations DROP COLUMN hold_reason');
  }
}
