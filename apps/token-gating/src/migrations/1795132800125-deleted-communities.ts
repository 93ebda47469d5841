import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * A community goes at once, its members and their roles a piece at a time. No foreign key looks after either: it would
 * delete row by row, and be asked again for each role that a check of everybody grants.
 */
export class DeletedCommunities1795132800125 implements MigrationInterface {
  readonly name = 'DeletedCommunities1795132800125';

  async up(runner: QueryRunner): Promise<void> {
    // Tables are locked in the order in which requests lock them.
    await runner.query(`
      LOCK TABLE token_gating.communities, token_gating.community_members, token_gating.community_roles,
        token_gating.role_assignments IN ACCESS EXCLUSIVE MODE`);
    await runner.query(`
      ALTER TABLE token_gating.community_members DROP CONSTRAINT community_members_community_fkey`);
    await runner.query(
      'ALTER TABLE token_gating.role_assignments DROP CONSTRAINT role_assignments_role_fkey',
    );
    await runner.query(`
      CREATE TABLE token_gating.deleted_communities (
        community_id text NOT NULL,
        deleted_at timestamptz NOT NULL DEFAULT clock_timestamp(),
        CONSTRAINT deleted_communities_pkey PRIMARY KEY (community_id)
      )`);
  }

  async down(runner: QueryRunner): Promise<void> {
    for (const table of ['role_assignments', 'community_members'])
      await runner.query(`
        DELETE FROM token_gating.${table} WHERE community_id IN (SELECT community_id FROM token_gating.deleted_communities)`);
    await runner.query(`
      ALTER TABLE token_gating.role_assignments ADD CONSTRAINT role_assignments_role_fkey
        FOREIGN KEY (community_id, role_id) REFERENCES token_gating.community_roles (community_id, id) ON DELETE CASCADE`);
    await runner.query(`
      ALTER TABLE token_gating.community_members ADD CONSTRAINT community_members_community_fkey
        FOREIGN KEY (community_id) REFERENCES token_gating.communities (id) ON DELETE CASCADE`);
    await runner.query('DROP TABLE token_gating.deleted_communities');
  }
}
