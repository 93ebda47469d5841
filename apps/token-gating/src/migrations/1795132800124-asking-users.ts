import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Whether a user or a client application wanted a check: what it may tell of a user's wallets depends on that. */
export class AskingUsers1795132800124 implements MigrationInterface {
  readonly name = 'AskingUsers1795132800124';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE token_gating.checks ADD COLUMN asker_user_id text');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE token_gating.checks DROP COLUMN asker_user_id');
  }
}
