import type { MigrationInterface, QueryRunner } from 'typeorm';

/** What the next page of a browser says about the form that it has sent (docs/adr/0123-notices-in-sessions.md). */
export class SessionNotices1795132820600 implements MigrationInterface {
  readonly name = 'SessionNotices1795132820600';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      ALTER TABLE identity.browser_sessions
        ADD COLUMN IF NOT EXISTS notice jsonb,
        ADD COLUMN IF NOT EXISTS notice_expires_at timestamptz`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(
      'ALTER TABLE identity.browser_sessions DROP COLUMN notice, DROP COLUMN notice_expires_at',
    );
  }
}
