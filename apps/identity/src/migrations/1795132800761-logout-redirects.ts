import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Where a browser may return after a logout that an application began. The previous release ignores the column. */
export class LogoutRedirects1795132800761 implements MigrationInterface {
  readonly name = 'LogoutRedirects1795132800761';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(
      `ALTER TABLE identity.client_applications ADD COLUMN post_logout_redirect_uris text[] NOT NULL DEFAULT '{}'`,
    );
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE identity.client_applications DROP COLUMN post_logout_redirect_uris');
  }
}
