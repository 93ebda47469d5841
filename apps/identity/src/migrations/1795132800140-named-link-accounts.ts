import type { MigrationInterface, QueryRunner } from 'typeorm';

/** The account that a link message names, and whether its signature ends other users' links to the wallet. */
export class NamedLinkAccounts1795132800140 implements MigrationInterface {
  readonly name = 'NamedLinkAccounts1795132800140';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      ALTER TABLE identity.wallet_challenges
        -- CAIP-10; null for a message that names no account
        ADD COLUMN account_id text,
        ADD COLUMN ends_other_links boolean NOT NULL DEFAULT false`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(
      'ALTER TABLE identity.wallet_challenges DROP COLUMN account_id, DROP COLUMN ends_other_links',
    );
  }
}
