import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * Applications that exist keep token responses as a form. Those registered from now on, by the previous release too, get JSON
 * for OpenID Connect.
 */
export class TokenResponses1795132800760 implements MigrationInterface {
  readonly name = 'TokenResponses1795132800760';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      ALTER TABLE identity.client_applications
        ADD COLUMN token_response text NOT NULL DEFAULT 'form',
        ADD CONSTRAINT client_applications_token_response_check CHECK (token_response IN ('form', 'json'))`);
    await runner.query(
      `ALTER TABLE identity.client_applications ALTER COLUMN token_response SET DEFAULT 'json'`,
    );
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE identity.client_applications DROP COLUMN token_response');
  }
}
