import type { QueryRunner } from 'typeorm';

/** Creates the outbox table in a migration of an app. */
export async function createOutbox(runner: QueryRunner, schema: string): Promise<void> {
  await runner.query(`
    CREATE TABLE ${schema}.outbox (
      id bigint GENERATED ALWAYS AS IDENTITY NOT NULL,
      queue text NOT NULL,
      payload jsonb NOT NULL,
      created_at timestamptz NOT NULL DEFAULT clock_timestamp(),
      -- The job is not sent before: an instance has claimed it until then, or deferred it after a failure.
      due_at timestamptz NOT NULL DEFAULT clock_timestamp(),
      -- The reason why the job cannot be sent; a row with a reason is a dead letter.
      set_aside text,
      -- The time at which an instance first found that it cannot send the job: other versions may send it until a timeout.
      unsendable_since timestamptz,
      -- The trace of the request continues with the job.
      traceparent text,
      CONSTRAINT outbox_pkey PRIMARY KEY (id)
    );
    CREATE INDEX outbox_due_idx ON ${schema}.outbox (due_at, id) WHERE set_aside IS NULL;
    CREATE INDEX outbox_set_aside_idx ON ${schema}.outbox (id) WHERE set_aside IS NOT NULL;`);
}
