import type { QueryRunner } from 'typeorm';

/** Creates the outbox table in a migration of an app. */
export async function createOutbox(runner: QueryRunner, schema: string): Promise<void> {
  await runner.query(`
    CREATE TABLE ${schema}.outbox (
      id bigint GENERATED ALWAYS AS IDENTITY NOT NULL,
      queue text NOT NULL,
      payload jsonb NOT NULL,
      created_at timestamptz NOT NULL DEFAULT clock_timestamp(),
      -- not sent before: claimed by an instance until then, or deferred after a failure
      due_at timestamptz NOT NULL DEFAULT clock_timestamp(),
      -- why the job cannot be sent; a row with a reason is a dead letter
      set_aside text,
      CONSTRAINT outbox_pkey PRIMARY KEY (id)
    )`);
  await runner.query(`CREATE INDEX outbox_due_idx ON ${schema}.outbox (due_at, id) WHERE set_aside IS NULL`);
  await runner.query(
    `CREATE INDEX outbox_set_aside_idx ON ${schema}.outbox (id) WHERE set_aside IS NOT NULL`,
  );
}

/**
 * Adds the time at which an instance first found that it cannot send the job: other versions may send it until a
 * timeout.
 */
export async function addUnsendableSince(runner: QueryRunner, schema: string): Promise<void> {
  await runner.query(`ALTER TABLE ${schema}.outbox ADD COLUMN unsendable_since timestamptz`);
}

export async function dropUnsendableSince(runner: QueryRunner, schema: string): Promise<void> {
  await runner.query(`ALTER TABLE ${schema}.outbox DROP COLUMN unsendable_since`);
}

/** Lets the trace of a job continue after the outbox. */
export async function addTraceparent(runner: QueryRunner, schema: string): Promise<void> {
  await runner.query(`ALTER TABLE ${schema}.outbox ADD COLUMN traceparent text`);
}

export async function dropTraceparent(runner: QueryRunner, schema: string): Promise<void> {
  await runner.query(`ALTER TABLE ${schema}.outbox DROP COLUMN traceparent`);
}

export async function dropOutbox(runner: QueryRunner, schema: string): Promise<void> {
  await runner.query(`DROP TABLE ${schema}.outbox`);
}
