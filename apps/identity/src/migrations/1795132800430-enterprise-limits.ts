import type { MigrationInterface, QueryRunner } from 'typeorm';

/** How many client applications and live API keys an enterprise plan allows. The previous release ignores both. */
export class EnterpriseLimits1795132800430 implements MigrationInterface {
  readonly name = 'EnterpriseLimits1795132800430';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      ALTER TABLE identity.plan_holders
        -- null for no limit; used on an enterprise plan only
        ADD COLUMN max_client_applications integer,
        ADD COLUMN max_api_keys integer,
        ADD CONSTRAINT plan_holders_max_client_applications_check CHECK (max_client_applications >= 1),
        ADD CONSTRAINT plan_holders_max_api_keys_check CHECK (max_api_keys >= 1)`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(
      'ALTER TABLE identity.plan_holders DROP COLUMN max_client_applications, DROP COLUMN max_api_keys',
    );
  }
}
