import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Keys of users are apart from those of their client application: one could take the key of the other. */
export class IdempotencyKeysOfUsers1795132800150 implements MigrationInterface {
  readonly name = 'IdempotencyKeysOfUsers1795132800150';
  /** The index is created without blocking writes. Every statement can run again. */
  readonly transaction = false;

  async up(runner: QueryRunner): Promise<void> {
    await runner.query('DROP INDEX CONCURRENTLY IF EXISTS token_gating.checks_idempotency_key_index');
    await runner.query(`
      CREATE UNIQUE INDEX CONCURRENTLY checks_idempotency_key_index ON token_gating.checks
        (client_id, coalesce(asker_user_id, ''), idempotency_key)`);
    await runner.query(
      'ALTER TABLE token_gating.checks DROP CONSTRAINT IF EXISTS checks_idempotency_key_unique',
    );
  }

  /** Two checks under one key cannot both keep it. */
  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`
      UPDATE token_gating.checks SET idempotency_key = NULL
      WHERE idempotency_key IS NOT NULL AND asker_user_id IS NOT NULL`);
    await runner.query(`
      ALTER TABLE token_gating.checks
        ADD CONSTRAINT checks_idempotency_key_unique UNIQUE (client_id, idempotency_key)`);
    await runner.query('DROP INDEX token_gating.checks_idempotency_key_index');
  }
}
