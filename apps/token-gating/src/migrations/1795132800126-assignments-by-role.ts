import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * Who has a role, by an index that does not begin like the primary key. Where statistics lag behind a community that grows,
 * PostgreSQL took the one for the other, and walked over a whole community for each member.
 */
export class AssignmentsByRole1795132800126 implements MigrationInterface {
  readonly name = 'AssignmentsByRole1795132800126';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query('DROP INDEX token_gating.role_assignments_role_idx');
    await runner.query(`
      CREATE INDEX role_assignments_role_idx ON token_gating.role_assignments (role_id, community_id, user_id)`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP INDEX token_gating.role_assignments_role_idx');
    await runner.query(`
      CREATE INDEX role_assignments_role_idx ON token_gating.role_assignments (community_id, role_id)`);
  }
}
