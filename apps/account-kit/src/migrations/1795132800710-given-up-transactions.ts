import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Why nodes refuse a transaction of an executor, and why an empty one takes its nonce. */
export class GivenUpTransactions1795132800710 implements MigrationInterface {
  readonly name = 'GivenUpTransactions1795132800710';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      ALTER TABLE account_kit.executor_transactions
        ADD COLUMN refusal text,
        ADD COLUMN given_up_for text,
        ADD CONSTRAINT executor_transactions_given_up_for_check
          CHECK (given_up_for IN ('refused', 'unmined', 'unpaid', 'expiring'))`);
    // An instance of the previous release may make a transaction final whose empty variant was mined, and leave its operations behind.
    await runner.query(`
      CREATE INDEX executor_transaction_variants_empty_idx ON account_kit.executor_transaction_variants (transaction_id)
        WHERE is_empty`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP INDEX account_kit.executor_transaction_variants_empty_idx');
    await runner.query(`
      ALTER TABLE account_kit.executor_transactions DROP COLUMN refusal, DROP COLUMN given_up_for`);
  }
}
