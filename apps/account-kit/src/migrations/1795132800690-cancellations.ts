import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * Repair at the nonce (docs/adr/0084): the nonce of an expired operation is free, and a nonce may have several cancellations, which are
 * numbered from 1. An instance of the previous release numbers its only cancellation of a nonce 0.
 */
export class Cancellations1795132800690 implements MigrationInterface {
  readonly name = 'Cancellations1795132800690';
  /** Indexes are created without blocking writes. Every statement can run again. */
  readonly transaction = false;

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(
      'ALTER TABLE account_kit.user_operations ADD COLUMN IF NOT EXISTS cancellation_number int NOT NULL DEFAULT 0',
    );
    await runner.query('DROP INDEX CONCURRENTLY IF EXISTS account_kit.user_operations_numbered_nonce_key');
    // Under a name of its own: a nonce has one owner by the old index until the new one is complete.
    await runner.query(`
      CREATE UNIQUE INDEX CONCURRENTLY user_operations_numbered_nonce_key ON account_kit.user_operations
        (account_id, chain_id, nonce_key, nonce_sequence, (kind = 'cancellation'), cancellation_number)
        WHERE (state <> 'rejected' OR hash IS NOT NULL) AND state <> 'expired'`);
    await runner.query('DROP INDEX CONCURRENTLY IF EXISTS account_kit.user_operations_nonce_key');
    await runner.query('DROP INDEX CONCURRENTLY IF EXISTS account_kit.user_operations_cancellations_idx');
    await runner.query(`
      CREATE INDEX CONCURRENTLY user_operations_cancellations_idx ON account_kit.user_operations (client_id, accepted_at)
        WHERE kind = 'cancellation'`);
    await runner.query(`
      ALTER TABLE account_kit.bundler_submissions
        ADD COLUMN IF NOT EXISTS submitted_at timestamptz NOT NULL DEFAULT now(),
        ADD COLUMN IF NOT EXISTS underpriced_since timestamptz`);
    // As the default of a new column it would rewrite the table.
    await runner.query(
      'ALTER TABLE account_kit.bundler_submissions ALTER COLUMN submitted_at SET DEFAULT clock_timestamp()',
    );
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(
      `ALTER TABLE account_kit.bundler_submissions
         DROP COLUMN IF EXISTS submitted_at, DROP COLUMN IF EXISTS underpriced_since`,
    );
    await runner.query('DROP INDEX CONCURRENTLY IF EXISTS account_kit.user_operations_cancellations_idx');
    await runner.query('DROP INDEX CONCURRENTLY IF EXISTS account_kit.user_operations_nonce_key');
    await runner.query(`
      CREATE UNIQUE INDEX CONCURRENTLY user_operations_nonce_key ON account_kit.user_operations
        (account_id, chain_id, nonce_key, nonce_sequence, (kind = 'cancellation'))
        WHERE state <> 'rejected' OR hash IS NOT NULL`);
    await runner.query('DROP INDEX CONCURRENTLY IF EXISTS account_kit.user_operations_numbered_nonce_key');
    await runner.query('ALTER TABLE account_kit.user_operations DROP COLUMN IF EXISTS cancellation_number');
  }
}
