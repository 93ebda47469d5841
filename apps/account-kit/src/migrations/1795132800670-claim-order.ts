import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * What a claim of operations orders by: operations that failed their simulation or reverted a bundle wait behind others. An instance of the
 * previous release writes none of these columns, and its operations count as fresh.
 */
export class ClaimOrder1795132800670 implements MigrationInterface {
  readonly name = 'ClaimOrder1795132800670';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      ALTER TABLE account_kit.user_operations
        ADD COLUMN simulation_failures int NOT NULL DEFAULT 0,
        ADD COLUMN strikes int NOT NULL DEFAULT 0,
        ADD COLUMN goes_alone boolean NOT NULL DEFAULT false`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`
      ALTER TABLE account_kit.user_operations
        DROP COLUMN simulation_failures, DROP COLUMN strikes, DROP COLUMN goes_alone`);
  }
}
