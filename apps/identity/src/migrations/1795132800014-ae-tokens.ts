import type { MigrationInterface, QueryRunner } from 'typeorm';

/** AE tokens that are alive, so that users can see and end what they signed in to. Nothing here makes a token. */
export class AeTokens1795132800014 implements MigrationInterface {
  readonly name = 'AeTokens1795132800014';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE TABLE identity.ae_tokens (
        jti text NOT NULL,
        user_id text NOT NULL,
        client_id text NOT NULL,
        scopes text[] NOT NULL,
        issued_at timestamptz NOT NULL,
        expires_at timestamptz NOT NULL,
        CONSTRAINT ae_tokens_pkey PRIMARY KEY (jti),
        CONSTRAINT ae_tokens_user_id_fkey FOREIGN KEY (user_id) REFERENCES identity.users (id)
      )`);
    await runner.query('CREATE INDEX ae_tokens_user_id_idx ON identity.ae_tokens (user_id)');
    await runner.query('CREATE INDEX ae_tokens_expires_at_idx ON identity.ae_tokens (expires_at)');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE identity.ae_tokens');
  }
}
