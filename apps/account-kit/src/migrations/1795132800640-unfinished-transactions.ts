import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * Unfinished transactions by account: the number of transactions that an account had before must not slow its next one down. No statement
 * reads an account's transactions in the order of time.
 */
export class UnfinishedTransactions1795132800640 implements MigrationInterface {
  readonly name = 'UnfinishedTransactions1795132800640';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE INDEX solana_transactions_unfinished_account_idx ON account_kit.solana_transactions (account_id)
        WHERE state IN ('accepted', 'signed', 'submitted', 'included')`);
    await runner.query('DROP INDEX account_kit.solana_transactions_account_id_accepted_at_idx');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE INDEX solana_transactions_account_id_accepted_at_idx ON account_kit.solana_transactions
        (account_id, accepted_at, id)`);
    await runner.query('DROP INDEX account_kit.solana_transactions_unfinished_account_idx');
  }
}
