import type { MigrationInterface, QueryRunner } from 'typeorm';

/** What happened in communities, one row per event, and which communities are gone. */
export class CommunityEvents1795132800120 implements MigrationInterface {
  readonly name = 'CommunityEvents1795132800120';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
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
      )`);
    // Events of one community, of one type, in a time range.
    await runner.query(
      'CREATE INDEX community_events_type_at_idx ON analytics.community_events (community_id, type, at)',
    );
    await runner.query(`
      CREATE TABLE analytics.deleted_communities (
        community_id text NOT NULL,
        at timestamptz NOT NULL,
        received_at timestamptz NOT NULL DEFAULT clock_timestamp(),
        -- when its events are removed, for the first time or once more; null when that is done
        purge_at timestamptz DEFAULT clock_timestamp(),
        CONSTRAINT deleted_communities_pkey PRIMARY KEY (community_id)
      )`);
    await runner.query(`
      CREATE INDEX deleted_communities_purge_idx
        ON analytics.deleted_communities (purge_at) WHERE purge_at IS NOT NULL`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE analytics.deleted_communities');
    await runner.query('DROP TABLE analytics.community_events');
  }
}
