import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * Content and expiry of role callbacks in their deliveries, so that they need no check. The previous release still writes a
 * finished check for each, which this one delivers too.
 */
export class RoleCallbackContent1795132800129 implements MigrationInterface {
  readonly name = 'RoleCallbackContent1795132800129';
  /** Indexes are created and rows are validated without blocking writes. Every statement can run again. */
  readonly transaction = false;

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      ALTER TABLE token_gating.deliveries
        ALTER COLUMN check_id DROP NOT NULL,
        ADD COLUMN IF NOT EXISTS request_id uuid,
        ADD COLUMN IF NOT EXISTS client_id text,
        ADD COLUMN IF NOT EXISTS payload jsonb,
        ADD COLUMN IF NOT EXISTS expires_at timestamptz,
        DROP CONSTRAINT IF EXISTS deliveries_content_check,
        ADD CONSTRAINT deliveries_content_check CHECK (
          num_nulls(request_id, client_id, payload, expires_at) = CASE WHEN check_id IS NULL THEN 0 ELSE 4 END
        ) NOT VALID`);
    await runner.query('ALTER TABLE token_gating.deliveries VALIDATE CONSTRAINT deliveries_content_check');
    await runner.query('DROP INDEX CONCURRENTLY IF EXISTS token_gating.deliveries_request_idx');
    await runner.query(`
      CREATE INDEX CONCURRENTLY deliveries_request_idx
        ON token_gating.deliveries (request_id) WHERE request_id IS NOT NULL`);
    await runner.query('DROP INDEX CONCURRENTLY IF EXISTS token_gating.deliveries_expires_idx');
    await runner.query(`
      CREATE INDEX CONCURRENTLY deliveries_expires_idx
        ON token_gating.deliveries (expires_at) WHERE expires_at IS NOT NULL`);
  }

  /** Makes role callbacks finished checks, which the previous release delivers. */
  async down(runner: QueryRunner): Promise<void> {
    await runner.query(
      'ALTER TABLE token_gating.deliveries DROP CONSTRAINT IF EXISTS deliveries_content_check',
    );
    await runner.query(`
      INSERT INTO token_gating.checks (id, client_id, request_hash, request, callback_url, reply, result, subject,
        next_run_at, done_at, expires_at)
      SELECT request_id, client_id, '', '{}', url, false,
        jsonb_build_object('roles', payload -> 'roles', 'errors', '[]'::jsonb), payload - 'roles',
        min(created_at), min(created_at), max(expires_at)
      FROM token_gating.deliveries WHERE check_id IS NULL
      GROUP BY request_id, client_id, url, payload
      ON CONFLICT DO NOTHING`);
    await runner.query('UPDATE token_gating.deliveries SET check_id = request_id WHERE check_id IS NULL');
    await runner.query(`
      ALTER TABLE token_gating.deliveries
        ALTER COLUMN check_id SET NOT NULL,
        DROP COLUMN IF EXISTS request_id,
        DROP COLUMN IF EXISTS client_id,
        DROP COLUMN IF EXISTS payload,
        DROP COLUMN IF EXISTS expires_at`); // and their indexes
  }
}
