import type { QueryRunner } from 'typeorm';

/** For the migration of an app that has an outbox. */
export async function createOutbox(runner: QueryRunner, schema: string): Promise<void> {
  await runner.query(`
    CREATE TABLE ${schema}.outbox (
      id bigint GENERATED ALWAYS AS IDENTITY NOT NULL,
      queue text NOT NULL,
      payload jsonb NOT NULL,
      created_at timestamptz NOT NULL DEFAULT clock_timestamp(),
      -- not before: an instance is about to send it, or could not
      due_at timestamptz NOT NULL DEFAULT clock_timestamp(),
      -- why it cannot be sent: left to be looked at, and out of the way
      set_aside text,
      CONSTRAINT outbox_pkey PRIMARY KEY (id)
    )`);
  await runner.query(`CREATE INDEX outbox_due_idx ON ${schema}.outbox (due_at, id) WHERE set_aside IS NULL`);
  await runner.query(
    `CREATE INDEX outbox_set_aside_idx ON ${schema}.outbox (id) WHERE set_aside IS NOT NULL`,
  );
}

/** Since when an instance that took the job knew no place for it: how long others have had to send it. */
export async function addUnsendableSince(runner: QueryRunner, schema: string): Promise<void> {
  await runner.query(`ALTER TABLE ${schema}.outbox ADD COLUMN unsendable_since timestamptz`);
}

export async function dropUnsendableSince(runner: QueryRunner, schema: string): Promise<void> {
  await runner.query(`ALTER TABLE ${schema}.outbox DROP COLUMN unsendable_since`);
}

export async function dropOutbox(runner: QueryRunner, schema: string): Promise<void> {
  await runner.query(`DROP TABLE ${schema}.outbox`);
}
