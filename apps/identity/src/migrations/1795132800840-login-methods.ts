import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * How the user of a browser session signed in. The previous release inserts sessions without it, by wallet; it refuses a session
 * without an account, which only a login with a passkey makes.
 */
export class LoginMethods1795132800840 implements MigrationInterface {
  readonly name = 'LoginMethods1795132800840';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(
      'ALTER TABLE identity.browser_sessions ADD COLUMN amr text[], ALTER COLUMN account DROP NOT NULL',
    );
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DELETE FROM identity.browser_sessions WHERE account IS NULL');
    await runner.query(
      'ALTER TABLE identity.browser_sessions DROP COLUMN amr, ALTER COLUMN account SET NOT NULL',
    );
  }
}
