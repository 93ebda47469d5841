import type { MigrationInterface, QueryRunner } from 'typeorm';

/** A role may have the id of one that was deleted, which members have lost before it existed. */
export class RoleCreationTimes1795132811510 implements MigrationInterface {
  readonly name = 'RoleCreationTimes1795132811510';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(
      'ALTER TABLE token_gating.community_roles ADD COLUMN IF NOT EXISTS created_at timestamptz NOT NULL DEFAULT now()',
    );
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE token_gating.community_roles DROP COLUMN created_at');
  }
}
