import type { MigrationInterface, QueryRunner } from 'typeorm';

/** User operations that a bundler got, and when they are sent to it again. */
export class BundlerSubmissions1795132800525 implements MigrationInterface {
  readonly name = 'BundlerSubmissions1795132800525';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE TABLE account_kit.bundler_submissions (
        operation_id uuid NOT NULL,
        first_block bigint NOT NULL,
        next_attempt_at timestamptz NOT NULL,
        CONSTRAINT bundler_submissions_pkey PRIMARY KEY (operation_id),
        CONSTRAINT bundler_submissions_operation_id_fkey
          FOREIGN KEY (operation_id) REFERENCES account_kit.user_operations (id)
      )`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE account_kit.bundler_submissions');
  }
}
