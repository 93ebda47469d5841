import type { MigrationInterface, QueryRunner } from 'typeorm';

/** The keys that callbacks are signed with; the private halves are sealed under CALLBACK_KEY_SECRET. */
export class CallbackKeys1795132800004 implements MigrationInterface {
  readonly name = 'CallbackKeys1795132800004';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE TABLE token_gating.callback_keys (
        kid text NOT NULL,
        x text NOT NULL,
        sealed_private_key bytea NOT NULL,
        published_at timestamptz NOT NULL,
        signs_from timestamptz NOT NULL,
        signs_until timestamptz,
        CONSTRAINT callback_keys_pkey PRIMARY KEY (kid),
        CONSTRAINT callback_keys_times_check CHECK (published_at <= signs_from AND signs_from < signs_until)
      )`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE token_gating.callback_keys');
  }
}
