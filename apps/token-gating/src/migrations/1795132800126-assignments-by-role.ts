import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * Who has a role, by an index that does not begin like the primary key. Where statistics lag behind a community that grows,
 * PostgreSQL took the one for the other, and walked over a whole community for each member.
 */
export class AssignmentsByRole1795132800126 implements MigrationInterface {
  readonly name = 'AssignmentsByRole1795132800126';
  /** Nobody waits while millions of rows are read, and so it cannot be undone half-way: it may find what it left. */
  readonly transaction = false;

  async up(runner: QueryRunner): Promise<void> {
    await runner.query('DROP INDEX CONCURRENTLY IF EXISTS token_gating.role_assignments_holders_idx');
    await runner.query(`
      CREATE INDEX CONCURRENTLY role_assignments_holders_idx
        ON token_gating.role_assignments (role_id, community_id, user_id)`);
    await runner.query('DROP INDEX CONCURRENTLY IF EXISTS token_gating.role_assignments_role_idx');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP INDEX CONCURRENTLY IF EXISTS token_gating.role_assignments_role_idx');
    await runner.query(`
      CREATE INDEX CONCURRENTLY role_assignments_role_idx ON token_gating.role_assignments (community_id, role_id)`);
    await runner.query('DROP INDEX CONCURRENTLY IF EXISTS token_gating.role_assignments_holders_idx');
  }
}
