import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Wallets of platform users, which belong to one community, and the challenges that platform users see on a page. */
export class CommunityWallets1795132800151 implements MigrationInterface {
  readonly name = 'CommunityWallets1795132800151';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(
      "ALTER TABLE identity.wallet_connections ADD COLUMN community_id text NOT NULL DEFAULT ''",
    );
    await runner.query('DROP INDEX identity.wallet_connections_user_key');
    await runner.query(`
      CREATE UNIQUE INDEX wallet_connections_user_key
        ON identity.wallet_connections (user_id, community_id, wallet_key)`);
    await runner.query(`
      CREATE INDEX wallet_connections_community_idx
        ON identity.wallet_connections (community_id) WHERE community_id <> ''`);
    await runner.query(`
      ALTER TABLE identity.wallet_challenges
        ADD COLUMN community_id text NOT NULL DEFAULT '',
        ADD COLUMN request_id text,
        ADD COLUMN request jsonb`);
    await runner.query('DROP INDEX identity.wallet_challenges_user_idx');
    await runner.query(`
      CREATE INDEX wallet_challenges_user_idx
        ON identity.wallet_challenges (user_id, community_id, expires_at)`);
    await runner.query(`
      CREATE UNIQUE INDEX wallet_challenges_request_key
        ON identity.wallet_challenges (request_id) WHERE request_id IS NOT NULL`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DELETE FROM identity.wallet_challenges WHERE request_id IS NOT NULL');
    await runner.query(`
      ALTER TABLE identity.wallet_challenges
        DROP COLUMN community_id, DROP COLUMN request_id, DROP COLUMN request`);
    await runner.query(
      'CREATE INDEX wallet_challenges_user_idx ON identity.wallet_challenges (user_id, expires_at)',
    );
    await runner.query("DELETE FROM identity.wallet_connections WHERE community_id <> ''");
    await runner.query('DROP INDEX identity.wallet_connections_user_key');
    await runner.query('ALTER TABLE identity.wallet_connections DROP COLUMN community_id');
    await runner.query(
      'CREATE UNIQUE INDEX wallet_connections_user_key ON identity.wallet_connections (user_id, wallet_key)',
    );
  }
}
