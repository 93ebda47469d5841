import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Communities whose rules no approved client application stands for (docs/adr/0115). */
export class CommunitiesWithoutApplication1795132810000 implements MigrationInterface {
  readonly name = 'CommunitiesWithoutApplication1795132810000';
  /** The index of communities is created without blocking writes. Every statement can run again. */
  readonly transaction = false;

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      ALTER TABLE token_gating.communities
        ADD COLUMN IF NOT EXISTS without_application boolean NOT NULL DEFAULT false`);
    await runner.query('DROP INDEX CONCURRENTLY IF EXISTS token_gating.communities_without_application_idx');
    await runner.query(`
      CREATE INDEX CONCURRENTLY communities_without_application_idx ON token_gating.communities (owner_id)
        WHERE without_application`);
    await runner.query(`
      -- How many communities the portal has created for an address of the internet on a UTC day. The address is hashed.
      CREATE TABLE IF NOT EXISTS token_gating.portal_creations (
        day date NOT NULL,
        address_hash bytea NOT NULL,
        count integer NOT NULL,
        CONSTRAINT portal_creations_pkey PRIMARY KEY (day, address_hash)
      )`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE IF EXISTS token_gating.portal_creations');
    await runner.query('DROP INDEX CONCURRENTLY IF EXISTS token_gating.communities_without_application_idx');
    await runner.query('ALTER TABLE token_gating.communities DROP COLUMN IF EXISTS without_application');
  }
}
