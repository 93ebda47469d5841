import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * The revision whose name, icon and addresses an operator approved, and the owner's values that wait for approval.
 * `1795132800816` finds what was approved before. The previous release ignores both columns; its changes raise the revision, so
 * they are not reviewed.
 */
export class ReviewedValues1795132800815 implements MigrationInterface {
  readonly name = 'ReviewedValues1795132800815';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      ALTER TABLE identity.client_applications
        ADD COLUMN waiting_values jsonb,
        ADD COLUMN reviewed_revision integer`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`
      ALTER TABLE identity.client_applications DROP COLUMN waiting_values, DROP COLUMN reviewed_revision`);
  }
}
