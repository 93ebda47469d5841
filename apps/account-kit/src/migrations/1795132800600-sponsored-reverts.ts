import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Sponsored operations that reverted, by client application: a policy bounds how many a sponsor pays for on one day. */
export class SponsoredReverts1795132800600 implements MigrationInterface {
  readonly name = 'SponsoredReverts1795132800600';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE INDEX user_operations_sponsored_reverts_idx ON account_kit.user_operations (client_id, accepted_at)
        WHERE paymaster IS NOT NULL AND success = false`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP INDEX account_kit.user_operations_sponsored_reverts_idx');
  }
}
