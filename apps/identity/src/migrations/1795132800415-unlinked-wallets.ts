import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Wallets that were unlinked in the last days, so that late events of memberships know them. */
export class UnlinkedWallets1795132800415 implements MigrationInterface {
  readonly name = 'UnlinkedWallets1795132800415';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE TABLE identity.unlinked_wallets (
        -- of the wallet connection
        id text NOT NULL,
        user_id text NOT NULL,
        -- empty for a wallet that counted everywhere
        community_id text NOT NULL,
        account_id text NOT NULL,
        linked_at timestamptz NOT NULL,
        unlinked_at timestamptz NOT NULL,
        CONSTRAINT unlinked_wallets_pkey PRIMARY KEY (id),
        CONSTRAINT unlinked_wallets_user_id_fkey FOREIGN KEY (user_id) REFERENCES identity.users (id)
      )`);
    await runner.query(
      'CREATE INDEX unlinked_wallets_user_idx ON identity.unlinked_wallets (user_id, unlinked_at)',
    );
    await runner.query('CREATE INDEX unlinked_wallets_at_idx ON identity.unlinked_wallets (unlinked_at)');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE identity.unlinked_wallets');
  }
}
