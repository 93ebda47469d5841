import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Submitted forms of the portal, so that each counts once, with the secrets that they issued until these are shown. */
export class FormSubmissions1795132800130 implements MigrationInterface {
  readonly name = 'FormSubmissions1795132800130';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE TABLE identity.form_submissions (
        id_hash bytea NOT NULL,
        sealed bytea,
        sealed_until timestamptz,
        expires_at timestamptz NOT NULL,
        CONSTRAINT form_submissions_pkey PRIMARY KEY (id_hash),
        CONSTRAINT form_submissions_id_hash_check CHECK (octet_length(id_hash) = 32)
      )`);
    await runner.query(
      'CREATE INDEX form_submissions_expires_at_idx ON identity.form_submissions (expires_at)',
    );
    await runner.query(
      'CREATE INDEX form_submissions_sealed_until_idx ON identity.form_submissions (sealed_until) WHERE sealed IS NOT NULL',
    );
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE identity.form_submissions');
  }
}
