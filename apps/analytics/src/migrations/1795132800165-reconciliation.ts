import type { MigrationInterface, QueryRunner } from 'typeorm';

/** When each community is compared with token-gating next. */
export class Reconciliation1795132800165 implements MigrationInterface {
  readonly name = 'Reconciliation1795132800165';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      ALTER TABLE analytics.communities
        ADD COLUMN reconcile_at timestamptz NOT NULL DEFAULT now() + interval '10 minutes'`);
    await runner.query('CREATE INDEX communities_reconcile_idx ON analytics.communities (reconcile_at)');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE analytics.communities DROP COLUMN reconcile_at');
  }
}
