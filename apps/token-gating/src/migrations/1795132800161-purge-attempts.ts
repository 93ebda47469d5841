import type { MigrationInterface, QueryRunner } from 'typeorm';

/** When the purge of a deleted community goes on, so that one that fails lets others pass. */
export class PurgeAttempts1795132800161 implements MigrationInterface {
  readonly name = 'PurgeAttempts1795132800161';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      ALTER TABLE token_gating.deleted_communities
        ADD COLUMN purge_at timestamptz NOT NULL DEFAULT now(), ADD COLUMN failures integer NOT NULL DEFAULT 0`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(
      'ALTER TABLE token_gating.deleted_communities DROP COLUMN purge_at, DROP COLUMN failures',
    );
  }
}
