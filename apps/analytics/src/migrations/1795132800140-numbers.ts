import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Events in monthly partitions, and the numbers that reports read instead of events. */
export class Numbers1795132800140 implements MigrationInterface {
  readonly name = 'Numbers1795132800140';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE TABLE analytics.events (
        id uuid NOT NULL,
        type text NOT NULL,
        at timestamptz NOT NULL,
        community_id text NOT NULL,
        user_id text NOT NULL,
        role_id text,
        account_id text,
        received_at timestamptz NOT NULL DEFAULT clock_timestamp(),
        CONSTRAINT events_pkey PRIMARY KEY (at, id)
      ) PARTITION BY RANGE (at)`);
    // The events of one community in the order in which they arrived.
    await runner.query(
      'CREATE INDEX events_community_idx ON analytics.events (community_id, received_at, id)',
    );
    // Partitions for as many months as the default of ANALYTICS_RETENTION_DAYS needs; the app creates others.
    await runner.query(`
      DO $$
      DECLARE month timestamp := date_trunc('month', now() AT TIME ZONE 'UTC' - interval '400 days');
      BEGIN
        WHILE month < now() AT TIME ZONE 'UTC' + interval '2 months' LOOP
          EXECUTE format(
            'CREATE TABLE analytics.%I PARTITION OF analytics.events FOR VALUES FROM (%L) TO (%L)',
            to_char(month, '"events_"YYYY_MM'), month || '+00', month + interval '1 month' || '+00');
          month := month + interval '1 month';
        END LOOP;
      END $$`);
    await runner.query(`
      CREATE TABLE analytics.communities (
        community_id text NOT NULL,
        first_event_at timestamptz NOT NULL,
        CONSTRAINT communities_pkey PRIMARY KEY (community_id)
      )`);
    await runner.query(`
      CREATE TABLE analytics.state_intervals (
        community_id text NOT NULL,
        -- membership, role or wallet
        kind text NOT NULL,
        user_id text NOT NULL,
        -- the role or the wallet; empty for the membership
        key text NOT NULL,
        from_at timestamptz NOT NULL,
        -- whether the state ended at from_at; otherwise it began
        ended boolean NOT NULL,
        -- the next transition, or infinity
        until_at timestamptz NOT NULL,
        -- what the transition adds to the number of those who have the state
        change smallint NOT NULL,
        CONSTRAINT state_intervals_pkey PRIMARY KEY (community_id, kind, user_id, key, from_at, ended)
      )`);
    // Who has a state at a time.
    await runner.query(`
      CREATE INDEX state_intervals_held_idx ON analytics.state_intervals (community_id, kind, until_at)
        INCLUDE (from_at, user_id, key) WHERE NOT ended`);
    await runner.query(`
      CREATE TABLE analytics.event_counts (
        community_id text NOT NULL,
        kind text NOT NULL,
        role_id text NOT NULL,
        -- in UTC
        day date NOT NULL,
        -- for each quarter-hour, the count of the day until its end
        running_totals integer[] NOT NULL,
        CONSTRAINT event_counts_pkey PRIMARY KEY (community_id, kind, role_id, day),
        CONSTRAINT event_counts_quarters_check CHECK (cardinality(running_totals) = 96)
      ) WITH (fillfactor = 70)`);
    await runner.query(`
      CREATE TABLE analytics.user_sketches (
        community_id text NOT NULL,
        -- in quarter-hours: 1, or 96 for a UTC day
        span smallint NOT NULL,
        begin_at timestamptz NOT NULL,
        sketch bytea NOT NULL,
        CONSTRAINT user_sketches_pkey PRIMARY KEY (community_id, span, begin_at)
      )`);
  }

  async down(runner: QueryRunner): Promise<void> {
    // Events that arrived since go back to where the earlier release stores them.
    await runner.query(`
      INSERT INTO analytics.community_events (id, type, at, community_id, user_id, role_id, account_id, received_at)
      SELECT id, type, at, community_id, user_id, role_id, account_id, received_at FROM analytics.events
      ON CONFLICT (id) DO NOTHING`);
    for (const table of ['user_sketches', 'event_counts', 'state_intervals', 'communities', 'events'])
      await runner.query(`DROP TABLE analytics.${table}`);
  }
}
