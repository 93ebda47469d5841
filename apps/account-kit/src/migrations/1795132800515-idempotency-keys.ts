import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Idempotency keys of user operations and Solana transactions. They bind when the operation is stored as accepted. */
export class IdempotencyKeys1795132800515 implements MigrationInterface {
  readonly name = 'IdempotencyKeys1795132800515';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE TABLE account_kit.idempotency_keys (
        client_id text NOT NULL,
        account_id uuid NOT NULL,
        key_hash bytea NOT NULL,
        request_hash bytea NOT NULL,
        operation_id uuid NOT NULL,
        created_at timestamptz NOT NULL DEFAULT now(),
        CONSTRAINT idempotency_keys_pkey PRIMARY KEY (client_id, account_id, key_hash)
      )`);
    await runner.query(
      'CREATE INDEX idempotency_keys_operation_id_idx ON account_kit.idempotency_keys (operation_id)',
    );
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE account_kit.idempotency_keys');
  }
}
