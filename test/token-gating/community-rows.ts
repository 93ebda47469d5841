import { randomUUID } from 'node:crypto';
import type pg from 'pg';
import { databasePool } from '../support/database-pool.js';

export interface CommunityFields {
  visibility?: 'public' | 'members' | 'hidden';
  roles?: string[];
  rules?: object[];
  members?: string[];
  administrators?: string[];
  clients?: string[];
}

/** Inserts and queries communities in the database. */
export class CommunityRows {
  private readonly pool: pg.Pool;

  constructor(readonly databaseUrl: string) {
    this.pool = databasePool(databaseUrl);
  }

  async query<Row extends object>(sql: string, parameters: unknown[] = []): Promise<Row[]> {
    const { rows } = await this.pool.query<Row>(sql, parameters);
    return rows;
  }

  /** @returns the id of the community */
  async create({
    visibility = 'public',
    roles = [],
    rules = [],
    members = [],
    administrators = [],
    clients = [],
  }: CommunityFields): Promise<string> {
    const id = `community_${randomUUID().replaceAll('-', '').slice(0, 17)}`;
    await this.query(
      `INSERT INTO token_gating.communities (id, name, platform, visibility, owner_id, rules, member_count, next_check_at)
       VALUES ($1, 'Demo', 'chat', $2, 'user_owner', $3, $4, now() + interval '1 day')`,
      [id, visibility, JSON.stringify(rules), members.length],
    );
    await this.query(
      `INSERT INTO token_gating.community_roles (community_id, id, name, position)
       SELECT $1, role, role, position FROM unnest($2::text[]) WITH ORDINALITY AS r (role, position)`,
      [id, roles],
    );
    await this.query(
      // A while ago, because events of a test may have times of fewer digits.
      `INSERT INTO token_gating.community_members (community_id, user_id, platform, platform_user_id, joined_at)
       SELECT $1, m, 'chat', 'chat-of-' || m, clock_timestamp() - interval '1 second' FROM unnest($2::text[]) AS m`,
      [id, members],
    );
    await this.query(
      `INSERT INTO token_gating.community_administrators (community_id, user_id) SELECT $1, unnest($2::text[])`,
      [id, administrators],
    );
    await this.query(
      `INSERT INTO token_gating.community_clients (community_id, client_id) SELECT $1, unnest($2::text[])`,
      [id, clients],
    );
    return id;
  }

  async changeRules(id: string, rules: object[]): Promise<void> {
    await this.query(
      `UPDATE token_gating.communities SET rules = $2, rules_revision = rules_revision + 1 WHERE id = $1`,
      [id, JSON.stringify(rules)],
    );
  }

  /** The stored assignments as `<user> <role>`, in order. */
  async assignments(id: string): Promise<string[]> {
    const rows = await this.query<{ user_id: string; role_id: string }>(
      'SELECT user_id, role_id FROM token_gating.role_assignments WHERE community_id = $1 ORDER BY 1, 2',
      [id],
    );
    return rows.map(({ user_id, role_id }) => `${user_id} ${role_id}`);
  }

  async assign(id: string, userId: string, roleId: string): Promise<void> {
    await this.query(
      'INSERT INTO token_gating.role_assignments (community_id, user_id, role_id) VALUES ($1, $2, $3)',
      [id, userId, roleId],
    );
  }

  close(): Promise<void> {
    return this.pool.end();
  }
}
