import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Communities that operators have suspended. */
export class SuspendedCommunities1795132800431 implements MigrationInterface {
  readonly name = 'SuspendedCommunities1795132800431';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      ALTER TABLE token_gating.communities
        -- null while the community is active
        ADD COLUMN suspended_at timestamptz,
        -- for operators
        ADD COLUMN suspension_reason text,
        ADD CONSTRAINT communities_suspension_check
          CHECK ((suspended_at IS NULL) = (suspension_reason IS NULL))`);
    await runner.query(`
      CREATE INDEX communities_suspended_idx ON token_gating.communities (suspended_at, id)
        WHERE suspended_at IS NOT NULL`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(
      'ALTER TABLE token_gating.communities DROP COLUMN suspended_at, DROP COLUMN suspension_reason',
    );
  }
}
