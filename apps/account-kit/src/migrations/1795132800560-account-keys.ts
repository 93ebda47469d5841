import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Stored keys of accounts, each sealed for its name. An account without them has the keys that its root derives. */
export class AccountKeys1795132800560 implements MigrationInterface {
  readonly name = 'AccountKeys1795132800560';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE TABLE account_kit.account_keys (
        account_id uuid NOT NULL,
        curve text NOT NULL,
        purpose text NOT NULL,
        network text NOT NULL,
        wrapping_key_id text NOT NULL,
        data_key bytea,
        sealed_key bytea NOT NULL,
        created_at timestamptz NOT NULL DEFAULT now(),
        CONSTRAINT account_keys_pkey PRIMARY KEY (account_id, curve, purpose, network),
        CONSTRAINT account_keys_account_id_fkey FOREIGN KEY (account_id) REFERENCES account_kit.smart_accounts (id),
        CONSTRAINT account_keys_curve_check CHECK (curve IN ('secp256k1', 'ed25519')),
        CONSTRAINT account_keys_purpose_check CHECK (purpose IN ('account', 'action'))
      )`);
    await runner.query(
      'CREATE INDEX account_keys_wrapping_key_id_idx ON account_kit.account_keys (wrapping_key_id)',
    );
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE account_kit.account_keys');
  }
}
