import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Asset claims, and the keys of their tokens, which are sealed under a key derived from CALLBACK_KEY_SECRET. */
export class AssetClaims1795132800170 implements MigrationInterface {
  readonly name = 'AssetClaims1795132800170';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE TABLE token_gating.asset_claim_keys (
        kid text NOT NULL,
        use text NOT NULL,
        sealed bytea NOT NULL,
        published_at timestamptz NOT NULL,
        signs_from timestamptz NOT NULL,
        signs_until timestamptz,
        CONSTRAINT asset_claim_keys_pkey PRIMARY KEY (kid),
        CONSTRAINT asset_claim_keys_times_check CHECK (published_at <= signs_from AND signs_from < signs_until)
      )`);
    await runner.query(`
      CREATE TABLE token_gating.asset_claims (
        id text NOT NULL,
        slug_hash bytea NOT NULL,
        user_id text NOT NULL,
        wallet_type text NOT NULL,
        wallet_chain_id text NOT NULL,
        wallet_address text NOT NULL,
        assets text[] NOT NULL,
        social_id text,
        opensea_url text,
        media_url text,
        signature text NOT NULL,
        created_at timestamptz NOT NULL,
        expires_at timestamptz NOT NULL,
        CONSTRAINT asset_claims_pkey PRIMARY KEY (id),
        CONSTRAINT asset_claims_slug_hash_key UNIQUE (slug_hash)
      )`);
    await runner.query(
      'CREATE INDEX asset_claims_user_id_created_at_idx ON token_gating.asset_claims (user_id, created_at)',
    );
    await runner.query('CREATE INDEX asset_claims_expires_at_idx ON token_gating.asset_claims (expires_at)');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE token_gating.asset_claims');
    await runner.query('DROP TABLE token_gating.asset_claim_keys');
  }
}
