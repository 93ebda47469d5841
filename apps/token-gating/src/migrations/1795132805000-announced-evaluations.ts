import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Lets reads of roles that change nothing store nothing (docs/adr/0105). */
export class AnnouncedEvaluations1795132805000 implements MigrationInterface {
  readonly name = 'AnnouncedEvaluations1795132805000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      -- Evaluations of members that run and may change their roles. A row is deleted when its evaluation is stored.
      CREATE TABLE IF NOT EXISTS token_gating.announced_evaluations (
        id uuid NOT NULL DEFAULT gen_random_uuid(),
        community_id text NOT NULL,
        user_ids text[] NOT NULL,
        started_at timestamptz NOT NULL DEFAULT clock_timestamp(),
        CONSTRAINT announced_evaluations_pkey PRIMARY KEY (id)
      )
      -- Rows live for seconds, and dead ones are read by every request of their community.
      WITH (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 1000)`);
    await runner.query(`
      CREATE INDEX IF NOT EXISTS announced_evaluations_community_idx ON token_gating.announced_evaluations (community_id)`);
    await runner.query(`
      CREATE INDEX IF NOT EXISTS announced_evaluations_age_idx ON token_gating.announced_evaluations (started_at)`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE IF EXISTS token_gating.announced_evaluations');
  }
}
