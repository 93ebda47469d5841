import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Lets a vault count for one member of a community (docs/adr/0112). */
export class DelegatedVaults1795132808600 implements MigrationInterface {
  readonly name = 'DelegatedVaults1795132808600';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      -- The member for whom a vault counts. A row ends with the membership, or when the vault no longer counts for the member.
      CREATE TABLE IF NOT EXISTS token_gating.delegated_vaults (
        community_id text NOT NULL,
        vault text NOT NULL,
        user_id text NOT NULL,
        CONSTRAINT delegated_vaults_pkey PRIMARY KEY (community_id, vault),
        CONSTRAINT delegated_vaults_member_fkey
          FOREIGN KEY (community_id, user_id) REFERENCES token_gating.community_members (community_id, user_id) ON DELETE CASCADE
      )`);
    await runner.query(`
      CREATE INDEX IF NOT EXISTS delegated_vaults_member_idx ON token_gating.delegated_vaults (community_id, user_id)`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE IF EXISTS token_gating.delegated_vaults');
  }
}
