import type { MigrationInterface, QueryRunner } from 'typeorm';

/** At most a handful of attempts a delivery: a list in its row costs half of what rows of their own did. */
export class AttemptsInDeliveries1795132800005 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(
      "ALTER TABLE token_gating.deliveries ADD COLUMN attempts_made jsonb NOT NULL DEFAULT '[]'::jsonb",
    );
    await runner.query(`
      UPDATE token_gating.deliveries AS d SET attempts_made = made.attempts
      FROM (
        SELECT delivery_id, jsonb_agg(jsonb_build_object(
          'attempt', attempt, 'startedAt', started_at, 'milliseconds', milliseconds, 'status', status, 'failure', failure
        ) ORDER BY attempt) AS attempts
        FROM token_gating.delivery_attempts GROUP BY delivery_id
      ) AS made
      WHERE d.id = made.delivery_id`);
    await runner.query('DROP TABLE token_gating.delivery_attempts');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE TABLE token_gating.delivery_attempts (
        delivery_id text NOT NULL,
        attempt integer NOT NULL,
        started_at timestamptz NOT NULL,
        milliseconds integer NOT NULL,
        status integer,
        failure text,
        CONSTRAINT delivery_attempts_pk PRIMARY KEY (delivery_id, attempt),
        CONSTRAINT delivery_attempts_delivery_fk FOREIGN KEY (delivery_id)
          REFERENCES token_gating.deliveries (id) ON DELETE CASCADE
      )`);
    await runner.query(`
      INSERT INTO token_gating.delivery_attempts (delivery_id, attempt, started_at, milliseconds, status, failure)
      SELECT d.id, made.attempt, made."startedAt", made.milliseconds, made.status, made.failure
      FROM token_gating.deliveries AS d, jsonb_to_recordset(d.attempts_made)
        AS made (attempt integer, "startedAt" timestamptz, milliseconds integer, status integer, failure text)`);
    await runner.query('ALTER TABLE token_gating.deliveries DROP COLUMN attempts_made');
  }
}
