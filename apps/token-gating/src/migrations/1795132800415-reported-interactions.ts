import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Ids of interactions that client applications reported in the last days, and how many each may still report today. */
export class ReportedInteractions1795132800415 implements MigrationInterface {
  readonly name = 'ReportedInteractions1795132800415';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE TABLE token_gating.reported_interactions (
        community_id text NOT NULL,
        client_id text NOT NULL,
        -- the client application's own
        id text NOT NULL,
        -- SHA-256 of its content
        digest bytea NOT NULL,
        expires_at timestamptz NOT NULL,
        CONSTRAINT reported_interactions_pkey PRIMARY KEY (community_id, client_id, id)
      )`);
    await runner.query(
      'CREATE INDEX reported_interactions_expires_idx ON token_gating.reported_interactions (expires_at)',
    );
    await runner.query(`
      CREATE TABLE token_gating.reported_interaction_counts (
        community_id text NOT NULL,
        client_id text NOT NULL,
        -- in UTC
        day date NOT NULL,
        count integer NOT NULL,
        CONSTRAINT reported_interaction_counts_pkey PRIMARY KEY (community_id, client_id, day)
      )`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE token_gating.reported_interaction_counts');
    await runner.query('DROP TABLE token_gating.reported_interactions');
  }
}
