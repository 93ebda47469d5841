import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Which events are imported history, and from when on events are complete, so that numbers can be rebuilt from them. */
export class CompleteEvents1795132800150 implements MigrationInterface {
  readonly name = 'CompleteEvents1795132800150';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE analytics.events ADD COLUMN is_demo boolean NOT NULL DEFAULT false');
    await runner.query(`
      CREATE TABLE analytics.complete_events (
        is_only_row boolean NOT NULL DEFAULT true,
        -- all events since then that were counted are stored
        from_at timestamptz NOT NULL,
        CONSTRAINT complete_events_pkey PRIMARY KEY (is_only_row),
        CONSTRAINT complete_events_one_row_check CHECK (is_only_row)
      )`);
    await runner.query(`
      INSERT INTO analytics.complete_events (from_at)
      SELECT greatest(now() - interval '400 days', min(to_date(c.relname, '"events_"YYYY_MM'))::timestamp AT TIME ZONE 'UTC')
      FROM pg_inherits i JOIN pg_class c ON c.oid = i.inhrelid
      WHERE i.inhparent = 'analytics.events'::regclass`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE analytics.complete_events');
    await runner.query('ALTER TABLE analytics.events DROP COLUMN is_demo');
  }
}
