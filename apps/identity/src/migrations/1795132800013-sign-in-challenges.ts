import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Messages that wallets were asked to sign. A row leaves with the first attempt to use it. */
export class SignInChallenges1795132800013 implements MigrationInterface {
  readonly name = 'SignInChallenges1795132800013';

  async up(runner: QueryRunner): Promise<void> {
    // Whoever asks need not be a client application: the service's own pages ask too.
    await runner.query(`
      CREATE TABLE identity.sign_in_challenges (
        id text NOT NULL,
        client_id text NOT NULL,
        namespace text NOT NULL,
        message text NOT NULL,
        expires_at timestamptz NOT NULL,
        CONSTRAINT sign_in_challenges_pkey PRIMARY KEY (id),
        CONSTRAINT sign_in_challenges_namespace_check CHECK (namespace IN ('eip155', 'solana'))
      )`);
    await runner.query(
      'CREATE INDEX sign_in_challenges_expires_at_idx ON identity.sign_in_challenges (expires_at)',
    );
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE identity.sign_in_challenges');
  }
}
