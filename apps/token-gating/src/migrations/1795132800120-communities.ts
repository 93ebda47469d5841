import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Communities: who runs them, who belongs to them, which rules grant which roles, and which roles are granted. */
export class Communities1795132800120 implements MigrationInterface {
  readonly name = 'Communities1795132800120';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE TABLE token_gating.communities (
        id text NOT NULL,
        name text NOT NULL,
        platform text NOT NULL,
        visibility text NOT NULL,
        owner_id text NOT NULL,
        icon_url text,
        server_image text,
        network text,
        -- as its administrators wrote them; what they mean is read again each time
        rules jsonb NOT NULL DEFAULT '[]',
        -- another one whenever the rules are: what was judged by earlier ones is not stored
        rules_revision integer NOT NULL DEFAULT 1,
        invitation_revision integer NOT NULL DEFAULT 1,
        member_count integer NOT NULL DEFAULT 0,
        next_check_at timestamptz NOT NULL,
        created_at timestamptz NOT NULL DEFAULT now(),
        CONSTRAINT communities_pkey PRIMARY KEY (id),
        CONSTRAINT communities_visibility_check CHECK (visibility IN ('public', 'members', 'hidden')),
        CONSTRAINT communities_member_count_check CHECK (member_count >= 0)
      )`);
    await runner.query('CREATE INDEX communities_owner_idx ON token_gating.communities (owner_id)');
    await runner.query('CREATE INDEX communities_next_check_idx ON token_gating.communities (next_check_at)');
    await runner.query(
      "CREATE INDEX communities_public_idx ON token_gating.communities (created_at, id) WHERE visibility = 'public'",
    );
    await runner.query(`
      CREATE TABLE token_gating.community_administrators (
        community_id text NOT NULL,
        user_id text NOT NULL,
        created_at timestamptz NOT NULL DEFAULT now(),
        CONSTRAINT community_administrators_pkey PRIMARY KEY (community_id, user_id),
        CONSTRAINT community_administrators_community_fkey FOREIGN KEY (community_id)
          REFERENCES token_gating.communities (id) ON DELETE CASCADE
      )`);
    await runner.query(`
      CREATE INDEX community_administrators_user_idx
        ON token_gating.community_administrators (user_id, created_at, community_id)`);
    await runner.query(`
      CREATE TABLE token_gating.community_clients (
        community_id text NOT NULL,
        client_id text NOT NULL,
        created_at timestamptz NOT NULL DEFAULT now(),
        CONSTRAINT community_clients_pkey PRIMARY KEY (community_id, client_id),
        CONSTRAINT community_clients_community_fkey FOREIGN KEY (community_id)
          REFERENCES token_gating.communities (id) ON DELETE CASCADE
      )`);
    await runner.query(`
      CREATE TABLE token_gating.community_roles (
        community_id text NOT NULL,
        id text NOT NULL,
        name text NOT NULL,
        color integer,
        position integer NOT NULL,
        CONSTRAINT community_roles_pkey PRIMARY KEY (community_id, id),
        CONSTRAINT community_roles_community_fkey FOREIGN KEY (community_id)
          REFERENCES token_gating.communities (id) ON DELETE CASCADE
      )`);
    await runner.query(`
      CREATE TABLE token_gating.community_members (
        community_id text NOT NULL,
        user_id text NOT NULL,
        platform text NOT NULL,
        platform_user_id text NOT NULL,
        joined_at timestamptz NOT NULL DEFAULT clock_timestamp(),
        -- when the evaluation began whose result is stored: an older one does not replace it
        evaluated_at timestamptz,
        CONSTRAINT community_members_pkey PRIMARY KEY (community_id, user_id),
        CONSTRAINT community_members_community_fkey FOREIGN KEY (community_id)
          REFERENCES token_gating.communities (id) ON DELETE CASCADE
      )`);
    await runner.query(`
      CREATE INDEX community_members_page_idx
        ON token_gating.community_members (community_id, joined_at, user_id)`);
    await runner.query(`
      CREATE INDEX community_members_platform_idx
        ON token_gating.community_members (community_id, platform_user_id)`);
    await runner.query(`
      CREATE INDEX community_members_user_idx
        ON token_gating.community_members (user_id, joined_at, community_id)`);
    // Role assignments belong to members: whoever takes a member away takes these away too, and says so in events. A
    // foreign key would do it row by row.
    await runner.query(`
      CREATE TABLE token_gating.role_assignments (
        community_id text NOT NULL,
        user_id text NOT NULL,
        role_id text NOT NULL,
        granted_at timestamptz NOT NULL DEFAULT clock_timestamp(),
        CONSTRAINT role_assignments_pkey PRIMARY KEY (community_id, user_id, role_id),
        CONSTRAINT role_assignments_role_fkey FOREIGN KEY (community_id, role_id)
          REFERENCES token_gating.community_roles (community_id, id) ON DELETE CASCADE
      )`);
    await runner.query(
      'CREATE INDEX role_assignments_role_idx ON token_gating.role_assignments (community_id, role_id)',
    );
  }

  async down(runner: QueryRunner): Promise<void> {
    for (const table of [
      'role_assignments',
      'community_members',
      'community_roles',
      'community_clients',
      'community_administrators',
      'communities',
    ])
      await runner.query(`DROP TABLE token_gating.${table}`);
  }
}
