import { forgetReplacedMigrations, hasReplacedMigrations } from '@app/database';
import type { MigrationInterface, QueryRunner } from 'typeorm';

/** The migrations that this one replaces (docs/adr/0102). */
const REPLACED = { count: 8, newest: 'ErasureProgress1795132800180' };

const EVENTS = `
  -- Events of communities as the first releases stored them. The app moves its rows to events.
  CREATE TABLE analytics.community_events (
    id uuid NOT NULL,
    type text NOT NULL,
    at timestamptz NOT NULL,
    community_id text NOT NULL,
    user_id text NOT NULL,
    role_id text,
    account_id text,
    received_at timestamptz NOT NULL DEFAULT clock_timestamp(),
    CONSTRAINT community_events_pkey PRIMARY KEY (id)
  );
  -- The events of one community and one type in a time range.
  CREATE INDEX community_events_type_at_idx ON analytics.community_events (community_id, type, at);

  CREATE TABLE analytics.events (
    id uuid NOT NULL,
    type text NOT NULL,
    at timestamptz NOT NULL,
    community_id text NOT NULL,
    user_id text NOT NULL,
    role_id text,
    account_id text,
    received_at timestamptz NOT NULL DEFAULT clock_timestamp(),
    -- Imported history of a demo
    is_demo boolean NOT NULL DEFAULT false,
    CONSTRAINT events_pkey PRIMARY KEY (at, id)
  ) PARTITION BY RANGE (at);
  -- The events of one community in the order in which they arrived.
  CREATE INDEX events_community_idx ON analytics.events (community_id, received_at, id);

  -- The time from which on every counted event is stored, so that numbers can be rebuilt from events.
  CREATE TABLE analytics.complete_events (
    is_only_row boolean NOT NULL DEFAULT true,
    -- Set below, when the partitions exist.
    from_at timestamptz NOT NULL,
    CONSTRAINT complete_events_pkey PRIMARY KEY (is_only_row),
    CONSTRAINT complete_events_one_row_check CHECK (is_only_row)
  );

  -- The time until which the events of each app have arrived.
  CREATE TABLE analytics.producer_heartbeats (
    producer text NOT NULL,
    until_at timestamptz NOT NULL,
    CONSTRAINT producer_heartbeats_pkey PRIMARY KEY (producer)
  );

  CREATE TABLE analytics.deleted_communities (
    community_id text NOT NULL,
    at timestamptz NOT NULL,
    received_at timestamptz NOT NULL DEFAULT clock_timestamp(),
    -- The time of the next purge of its events; null when the purge is done.
    purge_at timestamptz DEFAULT clock_timestamp(),
    CONSTRAINT deleted_communities_pkey PRIMARY KEY (community_id)
  );
  CREATE INDEX deleted_communities_purge_idx ON analytics.deleted_communities (purge_at) WHERE purge_at IS NOT NULL;`;

const NUMBERS = `
  CREATE TABLE analytics.communities (
    community_id text NOT NULL,
    first_event_at timestamptz NOT NULL,
    -- The community is compared with token-gating at this time.
    reconcile_at timestamptz NOT NULL DEFAULT now() + interval '10 minutes',
    CONSTRAINT communities_pkey PRIMARY KEY (community_id)
  );
  CREATE INDEX communities_reconcile_idx ON analytics.communities (reconcile_at);

  CREATE TABLE analytics.state_intervals (
    community_id text NOT NULL,
    -- membership, role or wallet
    kind text NOT NULL,
    user_id text NOT NULL,
    -- The role or the wallet; empty for a membership.
    key text NOT NULL,
    from_at timestamptz NOT NULL,
    -- The state ended at from_at; otherwise it began.
    ended boolean NOT NULL,
    -- The next transition, or infinity.
    until_at timestamptz NOT NULL,
    -- The transition adds this to the number of users who have the state.
    change smallint NOT NULL,
    CONSTRAINT state_intervals_pkey PRIMARY KEY (community_id, kind, user_id, key, from_at, ended)
  );
  -- The users who have a state at a time.
  CREATE INDEX state_intervals_held_idx
    ON analytics.state_intervals (community_id, kind, until_at) INCLUDE (from_at, user_id, key)
    WHERE NOT ended;

  CREATE TABLE analytics.event_counts (
    community_id text NOT NULL,
    kind text NOT NULL,
    role_id text NOT NULL,
    -- The day in UTC
    day date NOT NULL,
    -- The count of the day until the end of each quarter-hour.
    running_totals integer[] NOT NULL,
    CONSTRAINT event_counts_pkey PRIMARY KEY (community_id, kind, role_id, day),
    CONSTRAINT event_counts_quarters_check CHECK (cardinality(running_totals) = 96)
  ) WITH (fillfactor = 70);

  CREATE TABLE analytics.user_sketches (
    community_id text NOT NULL,
    -- Quarter-hours: 1, or 96 for a UTC day.
    span smallint NOT NULL,
    begin_at timestamptz NOT NULL,
    sketch bytea NOT NULL,
    CONSTRAINT user_sketches_pkey PRIMARY KEY (community_id, span, begin_at)
  );

  CREATE TABLE analytics.operation_counts (
    client_id text NOT NULL,
    -- The day in UTC
    day date NOT NULL,
    -- A chain id, or a network of Solana.
    chain text NOT NULL,
    state text NOT NULL,
    count bigint NOT NULL,
    CONSTRAINT operation_counts_pkey PRIMARY KEY (client_id, day, chain, state)
  ) WITH (fillfactor = 70);
  CREATE INDEX operation_counts_day_idx ON analytics.operation_counts (day);

  CREATE TABLE analytics.counted_operation_events (
    id uuid NOT NULL,
    at timestamptz NOT NULL,
    CONSTRAINT counted_operation_events_pkey PRIMARY KEY (id)
  );
  CREATE INDEX counted_operation_events_at_idx ON analytics.counted_operation_events (at);`;

const ERASURES = `
  -- Users who are to be erased.
  CREATE TABLE analytics.erasures (
    user_id text NOT NULL,
    -- Events until this time are stored before the user is erased.
    at timestamptz NOT NULL,
    received_at timestamptz NOT NULL DEFAULT clock_timestamp(),
    -- The time at which an instance erases the user, or does so once more.
    due_at timestamptz NOT NULL DEFAULT clock_timestamp(),
    is_erased boolean NOT NULL DEFAULT false,
    CONSTRAINT erasures_pkey PRIMARY KEY (user_id)
  );

  CREATE TABLE analytics.erased_users (
    -- A hash that is keyed with erasure_key.
    user_hash bytea NOT NULL,
    CONSTRAINT erased_users_pkey PRIMARY KEY (user_hash)
  );

  CREATE TABLE analytics.erasure_key (
    is_only_row boolean NOT NULL DEFAULT true,
    key text NOT NULL,
    CONSTRAINT erasure_key_pkey PRIMARY KEY (is_only_row),
    CONSTRAINT erasure_key_one_row_check CHECK (is_only_row)
  );

  -- The progress of the erasure of a user in a community, so that it goes on after a failure.
  CREATE TABLE analytics.erasure_progress (
    user_id text NOT NULL,
    community_id text NOT NULL,
    -- Replaces the user and the wallets of the user. It is forgotten with the row.
    pseudonym text NOT NULL,
    salt text NOT NULL,
    -- Events of the user may have both names while this is true.
    is_replacing boolean NOT NULL DEFAULT true,
    -- Events that were received earlier are replaced already.
    from_received_at timestamptz NOT NULL DEFAULT '-infinity',
    -- The partition that is being read (empty before the first one), and its last event that was read.
    partition text NOT NULL DEFAULT '',
    received_at timestamptz NOT NULL DEFAULT '-infinity',
    event_id uuid NOT NULL DEFAULT '00000000-0000-0000-0000-000000000000',
    started_at timestamptz NOT NULL DEFAULT clock_timestamp(),
    CONSTRAINT erasure_progress_pkey PRIMARY KEY (user_id, community_id)
  );
  CREATE INDEX erasure_progress_community_idx ON analytics.erasure_progress (community_id) WHERE is_replacing;`;

/** Partitions for as many months as the default of ANALYTICS_RETENTION_DAYS needs; the app creates others. */
const PARTITIONS = `
  DO $$
  DECLARE month timestamp := date_trunc('month', now() AT TIME ZONE 'UTC' - interval '400 days');
  BEGIN
    WHILE month < now() AT TIME ZONE 'UTC' + interval '2 months' LOOP
      EXECUTE format(
        'CREATE TABLE analytics.%I PARTITION OF analytics.events FOR VALUES FROM (%L) TO (%L)',
        to_char(month, '"events_"YYYY_MM'), month || '+00', month + interval '1 month' || '+00');
      month := month + interval '1 month';
    END LOOP;
  END $$;`;

/** Events are complete from the first partition on. The key is random for each database. */
const ROWS = `
  INSERT INTO analytics.complete_events (from_at)
  SELECT greatest(now() - interval '400 days', min(to_date(c.relname, '"events_"YYYY_MM'))::timestamp AT TIME ZONE 'UTC')
  FROM pg_inherits i JOIN pg_class c ON c.oid = i.inhrelid
  WHERE i.inhparent = 'analytics.events'::regclass;

  INSERT INTO analytics.erasure_key (key) VALUES (gen_random_uuid()::text || gen_random_uuid()::text);`;

/** The whole schema of analytics (docs/adr/0102). */
export class Baseline1795132801000 implements MigrationInterface {
  readonly name = 'Baseline1795132801000';

  async up(runner: QueryRunner): Promise<void> {
    if (await hasReplacedMigrations(runner, 'analytics', REPLACED)) return;
    for (const sql of [EVENTS, NUMBERS, ERASURES, PARTITIONS, ROWS]) await runner.query(sql);
  }

  async down(runner: QueryRunner): Promise<void> {
    await forgetReplacedMigrations(runner, 'analytics', this.name);
    await runner.query(`
      DROP TABLE
        analytics.community_events, analytics.events, analytics.complete_events,
        analytics.producer_heartbeats, analytics.deleted_communities, analytics.communities,
        analytics.state_intervals, analytics.event_counts, analytics.user_sketches,
        analytics.operation_counts, analytics.counted_operation_events, analytics.erasures,
        analytics.erased_users, analytics.erasure_key, analytics.erasure_progress`);
  }
}
