import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * When a link challenge was issued: those of contract wallets live longer, so the time of expiry does not say which of a
 * user's challenges is the oldest. The previous release inserts without the column and gets its default.
 */
export class ChallengeTimes1795132800762 implements MigrationInterface {
  readonly name = 'ChallengeTimes1795132800762';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(
      'ALTER TABLE identity.wallet_challenges ADD COLUMN issued_at timestamptz NOT NULL DEFAULT now()',
    );
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE identity.wallet_challenges DROP COLUMN issued_at');
  }
}
