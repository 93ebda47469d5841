import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Live credentials about a community, which end with memberships, roles and the community. */
export class CommunityCredentials1795132800880 implements MigrationInterface {
  readonly name = 'CommunityCredentials1795132800880';
  /** Credentials are issued meanwhile. */
  readonly transaction = false;

  async up(runner: QueryRunner): Promise<void> {
    await runner.query('DROP INDEX CONCURRENTLY IF EXISTS token_gating.verifiable_credentials_community_idx');
    await runner.query(`
      CREATE INDEX CONCURRENTLY verifiable_credentials_community_idx
        ON token_gating.verifiable_credentials (community_id, user_id)
        WHERE community_id IS NOT NULL AND revoked_at IS NULL`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP INDEX CONCURRENTLY IF EXISTS token_gating.verifiable_credentials_community_idx');
  }
}
