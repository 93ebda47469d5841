import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Since when every node has refused a transaction of an executor, and variants without operations, which take such a nonce. */
export class RefusedTransactions1795132800680 implements MigrationInterface {
  readonly name = 'RefusedTransactions1795132800680';
  /**
   * Each table is locked for its own statement only. In one transaction the migration and an insert of a variant, whose foreign key locks the
   * transaction, would wait for each other. Every statement can run again.
   */
  readonly transaction = false;

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      ALTER TABLE account_kit.executor_transactions
        ADD COLUMN IF NOT EXISTS refused_since timestamptz,
        ADD COLUMN IF NOT EXISTS refused_since_block bigint`);
    await runner.query(`
      ALTER TABLE account_kit.executor_transaction_variants
        ADD COLUMN IF NOT EXISTS is_empty boolean NOT NULL DEFAULT false`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(
      'ALTER TABLE account_kit.executor_transaction_variants DROP COLUMN IF EXISTS is_empty',
    );
    await runner.query(`
      ALTER TABLE account_kit.executor_transactions
        DROP COLUMN IF EXISTS refused_since, DROP COLUMN IF EXISTS refused_since_block`);
  }
}
