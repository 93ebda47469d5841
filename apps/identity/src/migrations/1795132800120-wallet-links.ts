import { createOutbox, dropOutbox } from '@app/outbox';
import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Proofs of wallets that users are about to link, pages of wallets, and the events of links. */
export class WalletLinks1795132800120 implements MigrationInterface {
  readonly name = 'WalletLinks1795132800120';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE TABLE identity.wallet_challenges (
        -- SHA-256 of the message, in base64url
        digest text NOT NULL,
        user_id text NOT NULL,
        expires_at timestamptz NOT NULL,
        CONSTRAINT wallet_challenges_pkey PRIMARY KEY (digest),
        CONSTRAINT wallet_challenges_user_id_fkey FOREIGN KEY (user_id) REFERENCES identity.users (id)
      )`);
    await runner.query(
      'CREATE INDEX wallet_challenges_user_idx ON identity.wallet_challenges (user_id, expires_at)',
    );
    await runner.query(
      'CREATE INDEX wallet_challenges_expires_idx ON identity.wallet_challenges (expires_at)',
    );
    await runner.query(
      'CREATE INDEX wallet_connections_page_idx ON identity.wallet_connections (user_id, created_at, id)',
    );
    await runner.query('DROP INDEX identity.wallet_connections_wallet_idx');
    await runner.query(
      'CREATE INDEX wallet_connections_wallet_idx ON identity.wallet_connections (wallet_key, user_id)',
    );
    await createOutbox(runner, 'identity');
  }

  async down(runner: QueryRunner): Promise<void> {
    await dropOutbox(runner, 'identity');
    await runner.query('DROP INDEX identity.wallet_connections_wallet_idx');
    await runner.query(
      'CREATE INDEX wallet_connections_wallet_idx ON identity.wallet_connections (wallet_key)',
    );
    await runner.query('DROP INDEX identity.wallet_connections_page_idx');
    await runner.query('DROP TABLE identity.wallet_challenges');
  }
}
