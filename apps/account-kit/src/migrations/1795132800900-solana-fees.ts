import type { MigrationInterface, QueryRunner } from 'typeorm';

const INDEX = 'solana_transactions_sponsored_in_flight_idx';

/**
 * The fee of a transaction, so that what a sponsor is about to pay is taken off its balance. Rows of the previous release have none. The index
 * has the transactions that the balance of a sponsor does not show yet.
 */
export class SolanaFees1795132800900 implements MigrationInterface {
  readonly name = 'SolanaFees1795132800900';
  /** The index is created without blocking writes. Every statement can run again. */
  readonly transaction = false;

  async up(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE account_kit.solana_transactions ADD COLUMN IF NOT EXISTS fee bigint');
    await runner.query(`DROP INDEX CONCURRENTLY IF EXISTS account_kit.${INDEX}`);
    await runner.query(
      `CREATE INDEX CONCURRENTLY ${INDEX} ON account_kit.solana_transactions (network, sponsor) INCLUDE (fee)
         WHERE sponsor IS NOT NULL AND state IN ('accepted', 'signed', 'submitted')`,
    );
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`DROP INDEX CONCURRENTLY IF EXISTS account_kit.${INDEX}`);
    await runner.query('ALTER TABLE account_kit.solana_transactions DROP COLUMN fee');
  }
}
