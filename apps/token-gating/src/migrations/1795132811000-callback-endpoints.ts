import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Endpoints that client applications register for events (docs/adr/0125-callback-endpoints.md). */
export class CallbackEndpoints1795132811000 implements MigrationInterface {
  readonly name = 'CallbackEndpoints1795132811000';
  /** The index of deliveries is created without blocking writes. Every statement can run again. */
  readonly transaction = false;

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE TABLE IF NOT EXISTS token_gating.callback_endpoints (
        id text NOT NULL,
        client_id text NOT NULL,
        tenant_id text NOT NULL,
        url text NOT NULL,
        events text[] NOT NULL,
        description text NOT NULL,
        -- The challenge that the receiver has not answered yet; null for a verified endpoint.
        challenge text,
        -- Sealed under CALLBACK_KEY_SECRET. The previous secret signs beside the current one until the time.
        sealed_secret bytea NOT NULL,
        sealed_previous_secret bytea,
        previous_secret_until timestamptz,
        -- The endpoint answered 410, or failed for too long: it needs a new challenge.
        disabled_at timestamptz,
        -- The client application has none of the scopes that endpoints need.
        suspended_at timestamptz,
        last_success_at timestamptz,
        last_failure_at timestamptz,
        last_failure text,
        -- The first failure since the last success.
        failing_since timestamptz,
        created_at timestamptz NOT NULL DEFAULT now(),
        CONSTRAINT callback_endpoints_pkey PRIMARY KEY (id),
        CONSTRAINT callback_endpoints_url_key UNIQUE (client_id, url)
      )`);
    await runner.query('ALTER TABLE token_gating.deliveries ADD COLUMN IF NOT EXISTS endpoint_id text');
    // The beginning of what a receiver at a public address answered.
    await runner.query('ALTER TABLE token_gating.delivery_attempts ADD COLUMN IF NOT EXISTS answer text');
    await runner.query('DROP INDEX CONCURRENTLY IF EXISTS token_gating.deliveries_endpoint_idx');
    await runner.query(`
      CREATE INDEX CONCURRENTLY deliveries_endpoint_idx ON token_gating.deliveries (endpoint_id, created_at, id)
        WHERE endpoint_id IS NOT NULL`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP INDEX CONCURRENTLY IF EXISTS token_gating.deliveries_endpoint_idx');
    await runner.query('ALTER TABLE token_gating.delivery_attempts DROP COLUMN IF EXISTS answer');
    await runner.query('ALTER TABLE token_gating.deliveries DROP COLUMN IF EXISTS endpoint_id');
    await runner.query('DROP TABLE IF EXISTS token_gating.callback_endpoints');
  }
}
