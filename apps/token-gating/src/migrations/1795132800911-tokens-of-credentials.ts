import type { MigrationInterface, QueryRunner } from 'typeorm';

/** When the token was issued with which a credential was asked for: the end of a consent ends what older tokens asked for. */
export class TokensOfCredentials1795132800911 implements MigrationInterface {
  readonly name = 'TokensOfCredentials1795132800911';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(
      'ALTER TABLE token_gating.verifiable_credentials ADD COLUMN token_issued_at timestamptz',
    );
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE token_gating.verifiable_credentials DROP COLUMN token_issued_at');
  }
}
