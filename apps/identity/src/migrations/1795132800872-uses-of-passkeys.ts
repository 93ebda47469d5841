import type { MigrationInterface, QueryRunner } from 'typeorm';

/** When a passkey signed in last, which tells an answer of a slow browser tab from the answer of a copy. */
export class UsesOfPasskeys1795132800872 implements MigrationInterface {
  readonly name = 'UsesOfPasskeys1795132800872';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE identity.passkeys ADD COLUMN last_used_at timestamptz');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE identity.passkeys DROP COLUMN last_used_at');
  }
}
