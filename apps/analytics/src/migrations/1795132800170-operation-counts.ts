import type { MigrationInterface, QueryRunner } from 'typeorm';

/** How often operations of client applications reached a state, and which events are counted. */
export class OperationCounts1795132800170 implements MigrationInterface {
  readonly name = 'OperationCounts1795132800170';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE TABLE analytics.operation_counts (
        client_id text NOT NULL,
        -- in UTC
        day date NOT NULL,
        -- a chain id, or a network of Solana
        chain text NOT NULL,
        state text NOT NULL,
        count bigint NOT NULL,
        CONSTRAINT operation_counts_pkey PRIMARY KEY (client_id, day, chain, state)
      ) WITH (fillfactor = 70)`);
    await runner.query('CREATE INDEX operation_counts_day_idx ON analytics.operation_counts (day)');
    await runner.query(`
      CREATE TABLE analytics.counted_operation_events (
        id uuid NOT NULL,
        at timestamptz NOT NULL,
        CONSTRAINT counted_operation_events_pkey PRIMARY KEY (id)
      )`);
    await runner.query(
      'CREATE INDEX counted_operation_events_at_idx ON analytics.counted_operation_events (at)',
    );
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE analytics.counted_operation_events');
    await runner.query('DROP TABLE analytics.operation_counts');
  }
}
