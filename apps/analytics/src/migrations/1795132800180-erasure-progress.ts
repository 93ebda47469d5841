import type { MigrationInterface, QueryRunner } from 'typeorm';

/** How far the erasure of a user in a community has come, so that it goes on after a failure. */
export class ErasureProgress1795132800180 implements MigrationInterface {
  readonly name = 'ErasureProgress1795132800180';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE TABLE analytics.erasure_progress (
        user_id text NOT NULL,
        community_id text NOT NULL,
        -- by what the user and their wallets are replaced; forgotten with the row
        pseudonym text NOT NULL,
        salt text NOT NULL,
        -- events of the user may have both names
        is_replacing boolean NOT NULL DEFAULT true,
        -- events that were received earlier are replaced already
        from_received_at timestamptz NOT NULL DEFAULT '-infinity',
        -- the partition that is being read, empty before the first one, and its last event that was
        partition text NOT NULL DEFAULT '',
        received_at timestamptz NOT NULL DEFAULT '-infinity',
        event_id uuid NOT NULL DEFAULT '00000000-0000-0000-0000-000000000000',
        started_at timestamptz NOT NULL DEFAULT clock_timestamp(),
        CONSTRAINT erasure_progress_pkey PRIMARY KEY (user_id, community_id)
      )`);
    await runner.query(
      'CREATE INDEX erasure_progress_community_idx ON analytics.erasure_progress (community_id) WHERE is_replacing',
    );
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE analytics.erasure_progress');
  }
}
