import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Why nodes refuse a transaction of an executor, and why an empty one takes its nonce. */
export class GivenUpTransactions1795132800710 implements MigrationInterface {
  readonly name = 'GivenUpTransactions1795132800710';
  /**
   * Executors write meanwhile: no table is scanned under a lock that stops them, and each is locked for its own statement only. In one
   * transaction the migration and an insert of a variant, whose foreign key locks the transaction, would wait for each other. Every
   * statement can run again.
   */
  readonly transaction = false;

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      ALTER TABLE account_kit.executor_transactions
        DROP CONSTRAINT IF EXISTS executor_transactions_given_up_for_check,
        ADD COLUMN IF NOT EXISTS refusal text,
        ADD COLUMN IF NOT EXISTS given_up_for text,
        ADD CONSTRAINT executor_transactions_given_up_for_check
          CHECK (given_up_for IN ('refused', 'unmined', 'unpaid', 'expiring')) NOT VALID`);
    await runner.query(
      'ALTER TABLE account_kit.executor_transactions VALIDATE CONSTRAINT executor_transactions_given_up_for_check',
    );
    // An instance of the previous release may make a transaction final whose empty variant was mined, and leave its operations behind.
    await runner.query(
      'DROP INDEX CONCURRENTLY IF EXISTS account_kit.executor_transaction_variants_empty_idx',
    );
    await runner.query(`
      CREATE INDEX CONCURRENTLY executor_transaction_variants_empty_idx
        ON account_kit.executor_transaction_variants (transaction_id) WHERE is_empty`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(
      'DROP INDEX CONCURRENTLY IF EXISTS account_kit.executor_transaction_variants_empty_idx',
    );
    await runner.query(`
      ALTER TABLE account_kit.executor_transactions
        DROP COLUMN IF EXISTS refusal, DROP COLUMN IF EXISTS given_up_for`);
  }
}
