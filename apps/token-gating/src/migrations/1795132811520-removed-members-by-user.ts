import type { MigrationInterface, QueryRunner } from 'typeorm';

/** What is kept of ended memberships is deleted with their user. */
export class RemovedMembersByUser1795132811520 implements MigrationInterface {
  readonly name = 'RemovedMembersByUser1795132811520';
  /** The index is created without blocking writes. Every statement can run again. */
  readonly transaction = false;

  async up(runner: QueryRunner): Promise<void> {
    await runner.query('DROP INDEX CONCURRENTLY IF EXISTS token_gating.removed_members_user_idx');
    await runner.query(
      'CREATE INDEX CONCURRENTLY removed_members_user_idx ON token_gating.removed_members (user_id)',
    );
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP INDEX IF EXISTS token_gating.removed_members_user_idx');
  }
}
