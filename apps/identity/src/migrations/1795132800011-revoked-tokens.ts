import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Tokens that died before their time, and their place in the feed of changes. */
export class RevokedTokens1795132800011 implements MigrationInterface {
  readonly name = 'RevokedTokens1795132800011';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE TABLE identity.revoked_tokens (
        id text NOT NULL,
        expires_at timestamptz NOT NULL,
        revoked_at timestamptz NOT NULL DEFAULT now(),
        CONSTRAINT revoked_tokens_pkey PRIMARY KEY (id)
      )`);
    await runner.query('CREATE INDEX revoked_tokens_expires_at_idx ON identity.revoked_tokens (expires_at)');
    await runner.query(`
      ALTER TABLE identity.credential_changes
        ALTER COLUMN client_id DROP NOT NULL,
        ADD COLUMN token_id text,
        ADD CONSTRAINT credential_changes_subject_check CHECK (num_nonnulls(client_id, token_id) = 1)`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DELETE FROM identity.credential_changes WHERE token_id IS NOT NULL');
    await runner.query(`
      ALTER TABLE identity.credential_changes
        DROP CONSTRAINT credential_changes_subject_check,
        DROP COLUMN token_id,
        ALTER COLUMN client_id SET NOT NULL`);
    await runner.query('DROP TABLE identity.revoked_tokens');
  }
}
