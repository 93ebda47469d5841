import type { MigrationInterface, QueryRunner } from 'typeorm';

/** The client application that requested a link challenge, so that the limit of open ones holds for each application. */
export class ChallengeClients1795132800180 implements MigrationInterface {
  readonly name = 'ChallengeClients1795132800180';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(
      "ALTER TABLE identity.wallet_challenges ADD COLUMN client_id text NOT NULL DEFAULT ''",
    );
    await runner.query('DROP INDEX identity.wallet_challenges_user_idx');
    await runner.query(`
      CREATE INDEX wallet_challenges_user_idx
        ON identity.wallet_challenges (user_id, community_id, client_id, expires_at)`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP INDEX identity.wallet_challenges_user_idx');
    await runner.query(`
      CREATE INDEX wallet_challenges_user_idx
        ON identity.wallet_challenges (user_id, community_id, expires_at)`);
    await runner.query('ALTER TABLE identity.wallet_challenges DROP COLUMN client_id');
  }
}
