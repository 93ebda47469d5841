import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Client applications that are called back when roles of members change. */
export class RoleCallbacks1795132800123 implements MigrationInterface {
  readonly name = 'RoleCallbacks1795132800123';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE token_gating.community_clients ADD COLUMN callback_url text');
    // Whom a result is about that nobody asked for: it stands in the callback beside the roles.
    await runner.query('ALTER TABLE token_gating.checks ADD COLUMN subject jsonb');
    await runner.query(`
      CREATE INDEX checks_subject_idx
        ON token_gating.checks (client_id, (subject ->> 'communityId')) WHERE subject IS NOT NULL`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE token_gating.checks DROP COLUMN subject'); // and its index
    await runner.query('ALTER TABLE token_gating.community_clients DROP COLUMN callback_url');
  }
}
