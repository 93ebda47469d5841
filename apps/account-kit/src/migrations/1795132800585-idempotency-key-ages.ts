import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Idempotency keys are deleted a day after their operations have ended, the oldest first. */
export class IdempotencyKeyAges1795132800585 implements MigrationInterface {
  readonly name = 'IdempotencyKeyAges1795132800585';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(
      'CREATE INDEX idempotency_keys_created_at_idx ON account_kit.idempotency_keys (created_at)',
    );
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP INDEX account_kit.idempotency_keys_created_at_idx');
  }
}
