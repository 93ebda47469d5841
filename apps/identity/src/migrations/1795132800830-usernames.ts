import type { MigrationInterface, QueryRunner } from 'typeorm';

const FORMAT = "'^[a-z][a-z0-9_]{2,31}$'";
/** Users of other platforms do not sign in, so that they have no username here. */
const SIGNS_IN = "platform IN ('ethereum', 'solana')";

/**
 * Usernames are unique among users who sign in, and are never given to a second user. Of existing values that collide the oldest user
 * keeps it. The previous release writes no usernames, and ignores the new column and table.
 */
export class Usernames1795132800830 implements MigrationInterface {
  readonly name = 'Usernames1795132800830';
  /** The index is created without blocking writes. Every statement can run again. */
  readonly transaction = false;

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(
      "ALTER TABLE identity.users ADD COLUMN IF NOT EXISTS username_changes timestamptz[] NOT NULL DEFAULT '{}'",
    );
    await runner.query(`
      UPDATE identity.users SET username = CASE WHEN lower(username) ~ ${FORMAT} THEN lower(username) END
      WHERE ${SIGNS_IN} AND username !~ ${FORMAT}`);
    await runner.query(`
      UPDATE identity.users AS later SET username = NULL
      WHERE later.${SIGNS_IN} AND later.username IS NOT NULL AND EXISTS (
        SELECT FROM identity.users AS earlier
        WHERE earlier.${SIGNS_IN} AND earlier.username = later.username
          AND (earlier.created_at, earlier.id) < (later.created_at, later.id))`);
    await runner.query('DROP INDEX CONCURRENTLY IF EXISTS identity.users_username_key');
    await runner.query(`
      CREATE UNIQUE INDEX CONCURRENTLY users_username_key ON identity.users (username)
        WHERE username IS NOT NULL AND ${SIGNS_IN}`);
    await runner.query(`
      CREATE TABLE IF NOT EXISTS identity.used_usernames (
        -- HMAC of the username, so that a copy of the database does not tell the usernames of erased users
        username_hash bytea NOT NULL,
        -- null once the user was erased
        user_id text,
        used_at timestamptz NOT NULL DEFAULT now(),
        CONSTRAINT used_usernames_pkey PRIMARY KEY (username_hash),
        CONSTRAINT used_usernames_username_hash_check CHECK (octet_length(username_hash) = 32)
      )`);
    await runner.query(
      'CREATE INDEX IF NOT EXISTS used_usernames_user_id_idx ON identity.used_usernames (user_id)',
    );
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE identity.used_usernames');
    await runner.query('DROP INDEX identity.users_username_key');
    await runner.query('ALTER TABLE identity.users DROP COLUMN username_changes');
  }
}
