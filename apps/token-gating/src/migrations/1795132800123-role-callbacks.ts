import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Client applications that are called back when roles of members change. */
export class RoleCallbacks1795132800123 implements MigrationInterface {
  readonly name = 'RoleCallbacks1795132800123';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE token_gating.community_clients ADD COLUMN callback_url text');
    // Whom a result is about that nobody asked for: it stands in the callback beside the roles.
    await runner.query('ALTER TABLE token_gating.checks ADD COLUMN subject jsonb');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE token_gating.checks DROP COLUMN subject');
    await runner.query('ALTER TABLE token_gating.community_clients DROP COLUMN callback_url');
  }
}
