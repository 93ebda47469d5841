import type { MigrationInterface, QueryRunner } from 'typeorm';

/** The passkey that signed a browser session in, so that the session ends with it. */
export class SessionsOfPasskeys1795132800861 implements MigrationInterface {
  readonly name = 'SessionsOfPasskeys1795132800861';
  /** Browsers sign in meanwhile, so the index is made without a lock. Every statement can run again. */
  readonly transaction = false;

  async up(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE identity.browser_sessions ADD COLUMN IF NOT EXISTS passkey_id text');
    await runner.query('DROP INDEX CONCURRENTLY IF EXISTS identity.browser_sessions_passkey_id_idx');
    await runner.query(`
      CREATE INDEX CONCURRENTLY browser_sessions_passkey_id_idx ON identity.browser_sessions (passkey_id)
      WHERE passkey_id IS NOT NULL`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE identity.browser_sessions DROP COLUMN IF EXISTS passkey_id');
  }
}
