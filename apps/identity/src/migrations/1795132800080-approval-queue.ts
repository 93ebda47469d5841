import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Operators look at what waits longest, however many applications there are. */
export class ApprovalQueue1795132800080 implements MigrationInterface {
  readonly name = 'ApprovalQueue1795132800080';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE INDEX client_applications_waiting_idx ON identity.client_applications (updated_at, id)
      WHERE status = 'pending' AND deleted_at IS NULL`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP INDEX identity.client_applications_waiting_idx');
  }
}
