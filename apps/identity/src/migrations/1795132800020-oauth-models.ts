import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Sessions, interactions, grants, codes and tokens of OAuth 2.0, in one table: they are all looked up alike and expire. */
export class OAuthModels1795132800020 implements MigrationInterface {
  readonly name = 'OAuthModels1795132800020';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE TABLE identity.oauth_models (
        kind text NOT NULL,
        id text NOT NULL,
        grant_id text,
        client_id text,
        account_id text,
        uid text,
        payload jsonb NOT NULL,
        created_at timestamptz NOT NULL DEFAULT now(),
        expires_at timestamptz NOT NULL,
        consumed_at timestamptz,
        CONSTRAINT oauth_models_pkey PRIMARY KEY (kind, id)
      )`);
    await runner.query(
      'CREATE INDEX oauth_models_grant_id_idx ON identity.oauth_models (grant_id) WHERE grant_id IS NOT NULL',
    );
    await runner.query(
      `CREATE UNIQUE INDEX oauth_models_session_uid_key ON identity.oauth_models (uid) WHERE kind = 'Session'`,
    );
    await runner.query(
      `CREATE INDEX oauth_models_granted_idx ON identity.oauth_models (account_id, client_id) WHERE kind = 'Grant'`,
    );
    await runner.query('CREATE INDEX oauth_models_expires_at_idx ON identity.oauth_models (expires_at)');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE identity.oauth_models');
  }
}
