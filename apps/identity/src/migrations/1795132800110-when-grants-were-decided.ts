import type { MigrationInterface, QueryRunner } from 'typeorm';

/** A copy of a user's decision counts as old as what it copies. Whatever has no such time was decided when it was created. */
export class WhenGrantsWereDecided1795132800110 implements MigrationInterface {
  readonly name = 'WhenGrantsWereDecided1795132800110';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE identity.oauth_models ADD COLUMN decided_at timestamptz');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE identity.oauth_models DROP COLUMN decided_at');
  }
}
