import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Passkeys of users, and the challenges that were answered. */
export class Passkeys1795132800860 implements MigrationInterface {
  readonly name = 'Passkeys1795132800860';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE TABLE identity.passkeys (
        id text NOT NULL,
        user_id text NOT NULL,
        user_handle bytea NOT NULL,
        credential_id bytea NOT NULL,
        public_key bytea NOT NULL,
        counter bigint NOT NULL,
        transports text[] NOT NULL,
        is_backup_eligible boolean NOT NULL,
        is_backed_up boolean NOT NULL,
        name text NOT NULL,
        created_at timestamptz NOT NULL DEFAULT now(),
        kept_at timestamptz,
        blocked_at timestamptz,
        CONSTRAINT passkeys_pkey PRIMARY KEY (id),
        CONSTRAINT passkeys_credential_id_key UNIQUE (credential_id),
        CONSTRAINT passkeys_user_handle_check CHECK (octet_length(user_handle) = 32)
      )`);
    await runner.query('CREATE INDEX passkeys_user_id_idx ON identity.passkeys (user_id)');
    await runner.query(`
      CREATE TABLE identity.answered_passkey_challenges (
        hash bytea NOT NULL,
        expires_at timestamptz NOT NULL,
        CONSTRAINT answered_passkey_challenges_pkey PRIMARY KEY (hash)
      )`);
    await runner.query(
      'CREATE INDEX answered_passkey_challenges_expires_at_idx ON identity.answered_passkey_challenges (expires_at)',
    );
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE identity.answered_passkey_challenges');
    await runner.query('DROP TABLE identity.passkeys');
  }
}
