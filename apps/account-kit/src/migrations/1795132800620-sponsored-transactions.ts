import type { MigrationInterface, QueryRunner } from 'typeorm';

/** The sponsor that pays the fee of a Solana transaction, and those that failed, whose number a policy bounds for each day. */
export class SponsoredTransactions1795132800620 implements MigrationInterface {
  readonly name = 'SponsoredTransactions1795132800620';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE account_kit.solana_transactions ADD COLUMN sponsor text');
    await runner.query(`
      CREATE INDEX solana_transactions_sponsored_reverts_idx ON account_kit.solana_transactions (client_id, accepted_at)
        WHERE sponsor IS NOT NULL AND err IS NOT NULL`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP INDEX account_kit.solana_transactions_sponsored_reverts_idx');
    await runner.query('ALTER TABLE account_kit.solana_transactions DROP COLUMN sponsor');
  }
}
