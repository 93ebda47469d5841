import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Smart accounts of platform users. Addresses are stored before they are answered, and never change. */
export class SmartAccounts1795132800500 implements MigrationInterface {
  readonly name = 'SmartAccounts1795132800500';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE TABLE account_kit.smart_accounts (
        id uuid NOT NULL,
        platform text NOT NULL,
        platform_user_id text NOT NULL,
        account_version text NOT NULL,
        key_root_id text NOT NULL,
        signer_address text NOT NULL,
        evm_address text NOT NULL,
        solana_addresses jsonb NOT NULL,
        action_address text NOT NULL,
        created_at timestamptz NOT NULL DEFAULT now(),
        CONSTRAINT smart_accounts_pkey PRIMARY KEY (id),
        CONSTRAINT smart_accounts_platform_platform_user_id_key UNIQUE (platform, platform_user_id),
        CONSTRAINT smart_accounts_evm_address_key UNIQUE (evm_address),
        CONSTRAINT smart_accounts_platform_check CHECK (platform IN ('chat', 'microblog', 'codehost')),
        CONSTRAINT smart_accounts_platform_user_id_check CHECK (platform_user_id ~ '^[1-9][0-9]{0,18}$'),
        CONSTRAINT smart_accounts_account_version_check CHECK (account_version IN ('0.7', '0.8'))
      )`);
    await runner.query(`
      CREATE TABLE account_kit.new_account_counts (
        client_id text NOT NULL,
        day date NOT NULL,
        accounts int NOT NULL,
        CONSTRAINT new_account_counts_pkey PRIMARY KEY (client_id, day)
      )`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE account_kit.new_account_counts');
    await runner.query('DROP TABLE account_kit.smart_accounts');
  }
}
