import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Until when the events of each app are in. */
export class ProducerHeartbeats1795132800155 implements MigrationInterface {
  readonly name = 'ProducerHeartbeats1795132800155';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE TABLE analytics.producer_heartbeats (
        producer text NOT NULL,
        until_at timestamptz NOT NULL,
        CONSTRAINT producer_heartbeats_pkey PRIMARY KEY (producer)
      )`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE analytics.producer_heartbeats');
  }
}
