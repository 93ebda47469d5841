import type { MigrationInterface, QueryRunner } from 'typeorm';

/** The challenge that a receiver of role callbacks has not answered yet. Receivers that were there before need not answer one. */
export class ReceiverChallenges1795132800131 implements MigrationInterface {
  readonly name = 'ReceiverChallenges1795132800131';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE token_gating.community_clients ADD COLUMN challenge text');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE token_gating.community_clients DROP COLUMN challenge');
  }
}
