import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Since when every node has refused a transaction of an executor, and variants without operations, which take such a nonce. */
export class RefusedTransactions1795132800680 implements MigrationInterface {
  readonly name = 'RefusedTransactions1795132800680';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      ALTER TABLE account_kit.executor_transactions
        ADD COLUMN refused_since timestamptz,
        ADD COLUMN refused_since_block bigint`);
    await runner.query(`
      ALTER TABLE account_kit.executor_transaction_variants ADD COLUMN is_empty boolean NOT NULL DEFAULT false`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE account_kit.executor_transaction_variants DROP COLUMN is_empty');
    await runner.query(`
      ALTER TABLE account_kit.executor_transactions DROP COLUMN refused_since, DROP COLUMN refused_since_block`);
  }
}
