import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Users, and the wallets that they have proven to hold. Several users may have the same wallet. */
export class Users1795132800012 implements MigrationInterface {
  readonly name = 'Users1795132800012';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE TABLE identity.users (
        id text NOT NULL,
        platform text NOT NULL,
        platform_user_id text NOT NULL,
        user_name text,
        username text,
        name text,
        picture text,
        created_at timestamptz NOT NULL DEFAULT now(),
        CONSTRAINT users_pkey PRIMARY KEY (id),
        CONSTRAINT users_platform_check CHECK (
          platform IN ('ethereum', 'solana', 'chat', 'microblog', 'codehost')
        )
      )`);
    await runner.query(
      'CREATE UNIQUE INDEX users_platform_key ON identity.users (platform, platform_user_id)',
    );
    await runner.query(`
      CREATE TABLE identity.wallet_connections (
        id text NOT NULL,
        user_id text NOT NULL,
        wallet_key text NOT NULL,
        address text NOT NULL,
        account_id text NOT NULL,
        platform text NOT NULL,
        wallet_type text NOT NULL,
        chain_id text NOT NULL,
        metadata jsonb NOT NULL DEFAULT '{}',
        created_at timestamptz NOT NULL DEFAULT now(),
        CONSTRAINT wallet_connections_pkey PRIMARY KEY (id),
        CONSTRAINT wallet_connections_user_id_fkey FOREIGN KEY (user_id) REFERENCES identity.users (id),
        CONSTRAINT wallet_connections_platform_check CHECK (platform IN ('ethereum', 'solana')),
        CONSTRAINT wallet_connections_wallet_type_check CHECK (wallet_type IN ('eoa', 'contract', 'solana'))
      )`);
    await runner.query(
      'CREATE UNIQUE INDEX wallet_connections_user_key ON identity.wallet_connections (user_id, wallet_key)',
    );
    await runner.query(
      'CREATE INDEX wallet_connections_wallet_idx ON identity.wallet_connections (wallet_key)',
    );
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE identity.wallet_connections');
    await runner.query('DROP TABLE identity.users');
  }
}
