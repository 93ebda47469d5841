import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Where client applications are called back when the state of an operation changes. */
export class OperationReceivers1795132800420 implements MigrationInterface {
  readonly name = 'OperationReceivers1795132800420';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE TABLE token_gating.operation_receivers (
        client_id text NOT NULL,
        tenant_id text NOT NULL,
        callback_url text NOT NULL,
        -- what the receiver has not answered yet
        challenge text,
        created_at timestamptz NOT NULL DEFAULT now(),
        CONSTRAINT operation_receivers_pkey PRIMARY KEY (client_id)
      )`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(
      "DELETE FROM token_gating.deliveries WHERE payload IS NOT NULL AND payload ->> 'communityId' = ''",
    );
    await runner.query('DROP TABLE token_gating.operation_receivers');
  }
}
