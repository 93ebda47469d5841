import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Who is signed in to the pages, in which browser. */
export class BrowserSessions1795132800040 implements MigrationInterface {
  readonly name = 'BrowserSessions1795132800040';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE TABLE identity.browser_sessions (
        id_hash bytea NOT NULL,
        user_id text NOT NULL,
        account text NOT NULL,
        signed_in_at timestamptz NOT NULL,
        signed_in_for text,
        seen_at timestamptz NOT NULL,
        expires_at timestamptz NOT NULL,
        CONSTRAINT browser_sessions_pkey PRIMARY KEY (id_hash),
        CONSTRAINT browser_sessions_id_hash_check CHECK (octet_length(id_hash) = 32)
      )`);
    await runner.query(
      'CREATE INDEX browser_sessions_expires_at_idx ON identity.browser_sessions (expires_at)',
    );
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE identity.browser_sessions');
  }
}
