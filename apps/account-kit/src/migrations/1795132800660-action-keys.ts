import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * Keys of custom actions that belong to a client application and an account (docs/adr/0056). Actions that are listed already, and
 * those that the previous release lists, keep the key that all applications share: their `key_scope` is `account`.
 */
export class ActionKeys1795132800660 implements MigrationInterface {
  readonly name = 'ActionKeys1795132800660';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      ALTER TABLE account_kit.custom_actions ADD COLUMN key_scope text NOT NULL DEFAULT 'account'
        CONSTRAINT custom_actions_key_scope_check CHECK (key_scope IN ('account', 'application'))`);
    await runner.query(`
      CREATE TABLE account_kit.action_keys (
        account_id uuid NOT NULL,
        client_id text NOT NULL,
        key_root_id text NOT NULL,
        address text NOT NULL,
        wrapping_key_id text,
        data_key bytea,
        sealed_key bytea,
        created_at timestamptz NOT NULL DEFAULT now(),
        CONSTRAINT action_keys_pkey PRIMARY KEY (account_id, client_id),
        CONSTRAINT action_keys_account_id_fkey FOREIGN KEY (account_id) REFERENCES account_kit.smart_accounts (id),
        CONSTRAINT action_keys_sealed_check CHECK ((wrapping_key_id IS NULL) = (sealed_key IS NULL))
      )`);
    await runner.query(
      'CREATE INDEX action_keys_wrapping_key_id_idx ON account_kit.action_keys (wrapping_key_id)',
    );
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE account_kit.action_keys');
    await runner.query('ALTER TABLE account_kit.custom_actions DROP COLUMN key_scope');
  }
}
