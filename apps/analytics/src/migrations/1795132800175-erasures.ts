import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Users who are to be erased, and hashes of those who were. */
export class Erasures1795132800175 implements MigrationInterface {
  readonly name = 'Erasures1795132800175';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE TABLE analytics.erasures (
        user_id text NOT NULL,
        -- events until then are stored before the user is erased
        at timestamptz NOT NULL,
        received_at timestamptz NOT NULL DEFAULT clock_timestamp(),
        -- when an instance erases the user, or does so once more
        due_at timestamptz NOT NULL DEFAULT clock_timestamp(),
        is_erased boolean NOT NULL DEFAULT false,
        CONSTRAINT erasures_pkey PRIMARY KEY (user_id)
      )`);
    await runner.query(`
      CREATE TABLE analytics.erased_users (
        -- keyed with erasure_key
        user_hash bytea NOT NULL,
        CONSTRAINT erased_users_pkey PRIMARY KEY (user_hash)
      )`);
    await runner.query(`
      CREATE TABLE analytics.erasure_key (
        is_only_row boolean NOT NULL DEFAULT true,
        key text NOT NULL,
        CONSTRAINT erasure_key_pkey PRIMARY KEY (is_only_row),
        CONSTRAINT erasure_key_one_row_check CHECK (is_only_row)
      )`);
    await runner.query(
      'INSERT INTO analytics.erasure_key (key) VALUES (gen_random_uuid()::text || gen_random_uuid()::text)',
    );
  }

  async down(runner: QueryRunner): Promise<void> {
    for (const table of ['erasure_key', 'erased_users', 'erasures'])
      await runner.query(`DROP TABLE analytics.${table}`);
  }
}
