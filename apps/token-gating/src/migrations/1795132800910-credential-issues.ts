import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * How many credentials each user had issued at the wish of each client application on a UTC day: a revoked credential keeps its place in a status
 * list. `listed_from` is the period of the first status list that says that an entry was revoked, and `published_from` the newest period in which a
 * list was published: every instance publishes the same content in a period.
 */
export class CredentialIssues1795132800910 implements MigrationInterface {
  readonly name = 'CredentialIssues1795132800910';
  /** Credentials are issued and revoked meanwhile. */
  readonly transaction = false;

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE TABLE IF NOT EXISTS token_gating.credential_issues (
        user_id text NOT NULL,
        day date NOT NULL,
        client_id text NOT NULL,
        issued integer NOT NULL,
        CONSTRAINT credential_issues_pkey PRIMARY KEY (user_id, day, client_id)
      )`);
    await runner.query(
      'CREATE INDEX IF NOT EXISTS credential_issues_day_idx ON token_gating.credential_issues (day)',
    );
    await runner.query(
      'ALTER TABLE token_gating.credential_status_entries ADD COLUMN IF NOT EXISTS listed_from timestamptz',
    );
    await runner.query(
      'ALTER TABLE token_gating.credential_status_lists ADD COLUMN IF NOT EXISTS published_from timestamptz',
    );
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE token_gating.credential_status_lists DROP COLUMN published_from');
    await runner.query('ALTER TABLE token_gating.credential_status_entries DROP COLUMN listed_from');
    await runner.query('DROP TABLE token_gating.credential_issues');
  }
}
