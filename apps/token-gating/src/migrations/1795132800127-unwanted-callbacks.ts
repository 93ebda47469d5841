import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Whether a callback is still wanted is seen when it is due: nobody looks for all that an application is still to be sent. */
export class UnwantedCallbacks1795132800127 implements MigrationInterface {
  readonly name = 'UnwantedCallbacks1795132800127';
  readonly transaction = false;

  async up(runner: QueryRunner): Promise<void> {
    await runner.query('DROP INDEX CONCURRENTLY IF EXISTS token_gating.checks_subject_idx');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE INDEX CONCURRENTLY IF NOT EXISTS checks_subject_idx
        ON token_gating.checks (client_id, (subject ->> 'communityId')) WHERE subject IS NOT NULL`);
  }
}
