import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * Consents that ended a moment ago, and the live credentials of a client application, which end with it. The client id is empty when the
 * user was erased, which ends every consent.
 */
export class EndedConsents1795132800889 implements MigrationInterface {
  readonly name = 'EndedConsents1795132800889';
  /** Credentials are issued meanwhile. */
  readonly transaction = false;

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE TABLE IF NOT EXISTS token_gating.ended_consents (
        user_id text NOT NULL,
        client_id text NOT NULL,
        ended_at timestamptz NOT NULL,
        CONSTRAINT ended_consents_pkey PRIMARY KEY (user_id, client_id)
      )`);
    await runner.query(
      'CREATE INDEX IF NOT EXISTS ended_consents_ended_at_idx ON token_gating.ended_consents (ended_at)',
    );
    await runner.query('DROP INDEX CONCURRENTLY IF EXISTS token_gating.verifiable_credentials_client_id_idx');
    await runner.query(`
      CREATE INDEX CONCURRENTLY verifiable_credentials_client_id_idx
        ON token_gating.verifiable_credentials (client_id, id) WHERE client_id IS NOT NULL AND revoked_at IS NULL`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP INDEX CONCURRENTLY IF EXISTS token_gating.verifiable_credentials_client_id_idx');
    await runner.query('DROP TABLE token_gating.ended_consents');
  }
}
