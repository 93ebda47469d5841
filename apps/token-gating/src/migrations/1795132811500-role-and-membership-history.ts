import type { MigrationInterface, QueryRunner } from 'typeorm';

/** When members lost roles, and when and how memberships ended, for the pages of those members. */
export class RoleAndMembershipHistory1795132811500 implements MigrationInterface {
  readonly name = 'RoleAndMembershipHistory1795132811500';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      -- A row of a member who left has an invitation revision that no invitation has, and bars nobody.
      ALTER TABLE token_gating.removed_members
        ADD COLUMN IF NOT EXISTS ended_at timestamptz,
        ADD COLUMN IF NOT EXISTS has_left boolean NOT NULL DEFAULT false,
        -- The name that the member knew: later ones are not theirs to read.
        ADD COLUMN IF NOT EXISTS community_name text;

      -- The last loss of each role of each member.
      CREATE TABLE IF NOT EXISTS token_gating.lost_roles (
        community_id text NOT NULL,
        user_id text NOT NULL,
        role_id text NOT NULL,
        granted_at timestamptz NOT NULL,
        lost_at timestamptz NOT NULL,
        CONSTRAINT lost_roles_pkey PRIMARY KEY (community_id, user_id, role_id),
        CONSTRAINT lost_roles_member_fkey
          FOREIGN KEY (community_id, user_id) REFERENCES token_gating.community_members (community_id, user_id) ON DELETE CASCADE
      )`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`
      DROP TABLE token_gating.lost_roles;
      ALTER TABLE token_gating.removed_members DROP COLUMN ended_at, DROP COLUMN has_left, DROP COLUMN community_name`);
  }
}
