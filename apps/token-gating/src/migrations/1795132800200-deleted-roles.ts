import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Roles that are deleted while members are still assigned to them. They go with their community. */
export class DeletedRoles1795132800200 implements MigrationInterface {
  readonly name = 'DeletedRoles1795132800200';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE TABLE token_gating.deleted_roles (
        community_id text NOT NULL,
        role_id text NOT NULL,
        purge_at timestamptz NOT NULL DEFAULT now(),
        failures integer NOT NULL DEFAULT 0,
        CONSTRAINT deleted_roles_pkey PRIMARY KEY (community_id, role_id),
        CONSTRAINT deleted_roles_community_fkey FOREIGN KEY (community_id)
          REFERENCES token_gating.communities (id) ON DELETE CASCADE
      )`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`
      DELETE FROM token_gating.role_assignments AS a USING token_gating.deleted_roles AS d
      WHERE a.community_id = d.community_id AND a.role_id = d.role_id`);
    await runner.query('DROP TABLE token_gating.deleted_roles');
  }
}
