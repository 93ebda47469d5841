import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Events stay for about a second, and requests wait for them to be stored: to compress them takes longer than to store them. */
export class UncompressedOutbox1795132800650 implements MigrationInterface {
  readonly name = 'UncompressedOutbox1795132800650';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE account_kit.outbox ALTER COLUMN payload SET STORAGE EXTERNAL');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE account_kit.outbox ALTER COLUMN payload SET STORAGE EXTENDED');
  }
}
