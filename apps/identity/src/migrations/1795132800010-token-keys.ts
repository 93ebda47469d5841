import type { MigrationInterface, QueryRunner } from 'typeorm';

/** The keys that tokens are made with, sealed, and when each is used. */
export class TokenKeys1795132800010 implements MigrationInterface {
  readonly name = 'TokenKeys1795132800010';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE TABLE identity.token_keys (
        kid text NOT NULL,
        use text NOT NULL,
        sealed bytea NOT NULL,
        published_at timestamptz NOT NULL,
        signs_from timestamptz NOT NULL,
        signs_until timestamptz,
        CONSTRAINT token_keys_pkey PRIMARY KEY (kid),
        CONSTRAINT token_keys_use_check CHECK (use IN ('access', 'id-rs256', 'id-es256', 'ae', 'nonce'))
      )`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE identity.token_keys');
  }
}
