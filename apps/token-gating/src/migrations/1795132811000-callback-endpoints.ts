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
        -- Approved scopes of the client application: an event is sent while its scope is among them.
        scopes text[] NOT NULL DEFAULT '{}',
        -- Since then identity knows no such client application.
        absent_since timestamptz,
        -- The client application has none of the scopes that endpoints need.
        suspended_at timestamptz,
        last_success_at timestamptz,
        last_failure_at timestamptz,
        last_failure text,
        -- The first failure since the last success.
        failing_since timestamptz,
        failures integer NOT NULL DEFAULT 0,
        created_at timestamptz NOT NULL DEFAULT now(),
        CONSTRAINT callback_endpoints_pkey PRIMARY KEY (id),
        CONSTRAINT callback_endpoints_url_key UNIQUE (client_id, url)
      )`);
    // How often a delivery was sent again, and the attempts that it had by then: the retry schedule begins anew.
    await runner.query(`
      ALTER TABLE token_gating.deliveries ADD COLUMN IF NOT EXISTS endpoint_id text,
        ADD COLUMN IF NOT EXISTS repeats integer NOT NULL DEFAULT 0,
        ADD COLUMN IF NOT EXISTS repeat_base integer NOT NULL DEFAULT 0`);
    await runner.query(`
      CREATE INDEX IF NOT EXISTS callback_endpoints_previous_secret_idx
        ON token_gating.callback_endpoints (previous_secret_until) WHERE previous_secret_until IS NOT NULL`);
    // The beginning of what a receiver at a public address answered.
    await runner.query('ALTER TABLE token_gating.delivery_attempts ADD COLUMN IF NOT EXISTS answer text');
    await runner.query('DROP INDEX CONCURRENTLY IF EXISTS token_gating.deliveries_endpoint_idx');
    await runner.query(`
      CREATE INDEX CONCURRENTLY deliveries_endpoint_idx ON token_gating.deliveries (endpoint_id, created_at, id)
        WHERE endpoint_id IS NOT NULL`);
    // The purge of a community finds the events about it.
    await runner.query('DROP INDEX CONCURRENTLY IF EXISTS token_gating.deliveries_event_community_idx');
    await runner.query(`
      CREATE INDEX CONCURRENTLY deliveries_event_community_idx
        ON token_gating.deliveries ((payload ->> 'eventCommunityId')) WHERE payload ->> 'eventCommunityId' IS NOT NULL`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP INDEX CONCURRENTLY IF EXISTS token_gating.deliveries_event_community_idx');
    await runner.query('DROP INDEX CONCURRENTLY IF EXISTS token_gating.deliveries_endpoint_idx');
    await runner.query('ALTER TABLE token_gating.delivery_attempts DROP COLUMN IF EXISTS answer');
    await runner.query(`
      ALTER TABLE token_gating.deliveries DROP COLUMN IF EXISTS endpoint_id, DROP COLUMN IF EXISTS repeats,
        DROP COLUMN IF EXISTS repeat_base`);
    await runner.query('DROP TABLE IF EXISTS token_gating.callback_endpoints');
  }
}
