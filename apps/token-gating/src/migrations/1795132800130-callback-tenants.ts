import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * The tenant of checks, callbacks and attached client applications, by which callbacks take turns and role callbacks are
 * limited. Rows of the previous release have none. And an index of role callbacks by community, to delete them with it.
 */
export class CallbackTenants1795132800130 implements MigrationInterface {
  readonly name = 'CallbackTenants1795132800130';
  /** Indexes are created without blocking writes. Every statement can run again. */
  readonly transaction = false;

  async up(runner: QueryRunner): Promise<void> {
    for (const table of ['checks', 'community_clients'])
      await runner.query(`ALTER TABLE token_gating.${table} ADD COLUMN IF NOT EXISTS tenant_id text`);
    await runner.query(
      "ALTER TABLE token_gating.deliveries ADD COLUMN IF NOT EXISTS tenant_id text NOT NULL DEFAULT ''",
    );
    await runner.query('DROP INDEX CONCURRENTLY IF EXISTS token_gating.deliveries_tenant_idx');
    await runner.query(`
      CREATE INDEX CONCURRENTLY deliveries_tenant_idx
        ON token_gating.deliveries (tenant_id, next_attempt_at) WHERE state = 'pending'`);
    await runner.query('DROP INDEX CONCURRENTLY IF EXISTS token_gating.deliveries_community_idx');
    await runner.query(`
      CREATE INDEX CONCURRENTLY deliveries_community_idx
        ON token_gating.deliveries ((payload ->> 'communityId')) WHERE payload IS NOT NULL`);
    await runner.query(`
      CREATE TABLE IF NOT EXISTS token_gating.role_callback_schedules (
        tenant_id text NOT NULL,
        next_at timestamptz NOT NULL,
        CONSTRAINT role_callback_schedules_pkey PRIMARY KEY (tenant_id)
      )`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE IF EXISTS token_gating.role_callback_schedules');
    await runner.query('DROP INDEX CONCURRENTLY IF EXISTS token_gating.deliveries_community_idx');
    for (const table of ['deliveries', 'community_clients', 'checks'])
      await runner.query(`ALTER TABLE token_gating.${table} DROP COLUMN IF EXISTS tenant_id`); // and its index
  }
}
