import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * Verifiable credentials, their keys and their status lists. Keys and claims are sealed under keys derived from CALLBACK_KEY_SECRET.
 * `account_key` is the address, of an EVM account in lower case. An entry of a status list outlives its credential, so that its place is never used again.
 */
export class VerifiableCredentials1795132800850 implements MigrationInterface {
  readonly name = 'VerifiableCredentials1795132800850';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE TABLE token_gating.credential_keys (
        kid text NOT NULL,
        sealed bytea NOT NULL,
        published_at timestamptz NOT NULL,
        signs_from timestamptz NOT NULL,
        signs_until timestamptz,
        CONSTRAINT credential_keys_pkey PRIMARY KEY (kid),
        CONSTRAINT credential_keys_times_check CHECK (published_at <= signs_from AND signs_from < signs_until)
      )`);
    await runner.query(`
      CREATE TABLE token_gating.credential_status_lists (
        id integer GENERATED ALWAYS AS IDENTITY,
        used integer NOT NULL,
        created_at timestamptz NOT NULL DEFAULT now(),
        CONSTRAINT credential_status_lists_pkey PRIMARY KEY (id)
      )`);
    await runner.query(`
      CREATE TABLE token_gating.credential_status_entries (
        list_id integer NOT NULL,
        entry integer NOT NULL,
        revoked_at timestamptz,
        CONSTRAINT credential_status_entries_pkey PRIMARY KEY (list_id, entry),
        CONSTRAINT credential_status_entries_entry_check CHECK (entry >= 0)
      )`);
    await runner.query(`
      CREATE INDEX credential_status_entries_revoked_idx
        ON token_gating.credential_status_entries (list_id, revoked_at) WHERE revoked_at IS NOT NULL`);
    await runner.query(`
      CREATE TABLE token_gating.verifiable_credentials (
        id text NOT NULL,
        user_id text NOT NULL,
        client_id text,
        type text NOT NULL,
        account_key text NOT NULL,
        wallet_type text NOT NULL,
        wallet_chain_id text NOT NULL,
        wallet_address text NOT NULL,
        community_id text,
        role_id text,
        sealed_claims bytea NOT NULL,
        thumbprint text NOT NULL,
        is_public boolean NOT NULL,
        list_id integer NOT NULL,
        entry integer NOT NULL,
        created_at timestamptz NOT NULL,
        expires_at timestamptz NOT NULL,
        revoked_at timestamptz,
        CONSTRAINT verifiable_credentials_pkey PRIMARY KEY (id),
        CONSTRAINT verifiable_credentials_entry_key UNIQUE (list_id, entry)
      )`);
    await runner.query(`
      CREATE INDEX verifiable_credentials_user_id_idx ON token_gating.verifiable_credentials (user_id, created_at)`);
    await runner.query(`
      CREATE INDEX verifiable_credentials_public_idx
        ON token_gating.verifiable_credentials (account_key, created_at) WHERE is_public`);
    await runner.query(`
      CREATE INDEX verifiable_credentials_expires_at_idx ON token_gating.verifiable_credentials (expires_at)`);
    await runner.query(`
      CREATE TABLE token_gating.used_credential_nonces (
        nonce text NOT NULL,
        expires_at timestamptz NOT NULL,
        CONSTRAINT used_credential_nonces_pkey PRIMARY KEY (nonce)
      )`);
    await runner.query(`
      CREATE INDEX used_credential_nonces_expires_at_idx ON token_gating.used_credential_nonces (expires_at)`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE token_gating.used_credential_nonces');
    await runner.query('DROP TABLE token_gating.verifiable_credentials');
    await runner.query('DROP TABLE token_gating.credential_status_entries');
    await runner.query('DROP TABLE token_gating.credential_status_lists');
    await runner.query('DROP TABLE token_gating.credential_keys');
  }
}
