import type { MigrationInterface, QueryRunner } from 'typeorm';

export class AsynchronousChecks1795132800003 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE TABLE token_gating.checks (
        id uuid NOT NULL,
        client_id text NOT NULL,
        idempotency_key text,
        request_hash bytea NOT NULL,
        request jsonb NOT NULL,
        callback_url text,
        reply boolean NOT NULL,
        replied_at timestamptz,
        result jsonb,
        created_at timestamptz NOT NULL DEFAULT now(),
        next_run_at timestamptz NOT NULL,
        done_at timestamptz,
        expires_at timestamptz NOT NULL,
        CONSTRAINT checks_pk PRIMARY KEY (id),
        CONSTRAINT checks_idempotency_key_unique UNIQUE (client_id, idempotency_key)
      )`);
    await runner.query(
      'CREATE INDEX checks_pending_index ON token_gating.checks (next_run_at) WHERE result IS NULL',
    );
    await runner.query(
      `CREATE INDEX checks_unreplied_index ON token_gating.checks (done_at)
       WHERE reply AND replied_at IS NULL AND result IS NOT NULL`,
    );
    await runner.query('CREATE INDEX checks_expires_at_index ON token_gating.checks (expires_at)');
    await runner.query(`
      CREATE TABLE token_gating.deliveries (
        id text NOT NULL,
        check_id uuid NOT NULL,
        url text NOT NULL,
        state text NOT NULL DEFAULT 'pending',
        attempts integer NOT NULL DEFAULT 0,
        next_attempt_at timestamptz NOT NULL,
        created_at timestamptz NOT NULL DEFAULT now(),
        CONSTRAINT deliveries_pk PRIMARY KEY (id),
        CONSTRAINT deliveries_check_fk FOREIGN KEY (check_id) REFERENCES token_gating.checks (id) ON DELETE CASCADE,
        CONSTRAINT deliveries_state_known CHECK (state IN ('pending', 'delivered', 'failed'))
      )`);
    await runner.query('CREATE INDEX deliveries_check_index ON token_gating.deliveries (check_id)');
    await runner.query(
      "CREATE INDEX deliveries_pending_index ON token_gating.deliveries (next_attempt_at) WHERE state = 'pending'",
    );
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
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE token_gating.delivery_attempts');
    await runner.query('DROP TABLE token_gating.deliveries');
    await runner.query('DROP TABLE token_gating.checks');
  }
}
