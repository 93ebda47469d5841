import { Database, queryRows } from '@app/database';
import { Injectable } from '@nestjs/common';
import { z } from 'zod';
import type { Actor } from '../applications/audit/audit-action.js';
import { recordAudit } from '../applications/audit/audit-records.queries.js';

/** Matches that are shown of each kind. */
export const MAX_MATCHES = 20;

/** $1 is the searched text, $2 a pattern of names that have it. */
const APPLICATIONS = `
  SELECT c.id, coalesce(c.waiting_values ->> 'name', c.name) AS name, c.status, h.id AS "tenantId"
  FROM identity.client_applications AS c JOIN identity.plan_holders AS h ON h.id = c.owner_id
  WHERE c.deleted_at IS NULL AND (c.id = $1 OR c.name ILIKE $2 OR c.waiting_values ->> 'name' ILIKE $2)
  ORDER BY c.id = $1 DESC, lower(c.name), c.id LIMIT ${MAX_MATCHES + 1}`;

const TENANTS = `
  SELECT id, name, user_id AS "userId", plan FROM identity.plan_holders
  WHERE id = $1 OR user_id = $1 OR name ILIKE $2
  ORDER BY id = $1 DESC, lower(name), id LIMIT ${MAX_MATCHES + 1}`;

/** Each part has an index but that of names, which reads all users. */
const USERS = `
  WITH found AS (
    SELECT id FROM identity.users WHERE id = $1
    UNION (SELECT id FROM identity.users WHERE username = lower($1) AND platform IN ('ethereum', 'solana'))
    UNION (SELECT user_id FROM identity.wallet_connections
      WHERE wallet_key IN ($1, lower($1)) AND community_id = '' LIMIT ${MAX_MATCHES + 1})
    UNION (SELECT id FROM identity.users WHERE name ILIKE $2 LIMIT ${MAX_MATCHES + 1})
  )
  SELECT u.id, u.name, u.username, wallet.account_id AS "accountId"
  FROM found JOIN identity.users AS u ON u.id = found.id
  LEFT JOIN LATERAL (
    SELECT account_id FROM identity.wallet_connections WHERE user_id = u.id AND community_id = '' ORDER BY created_at, id LIMIT 1
  ) AS wallet ON true
  ORDER BY u.id = $1 DESC, lower(u.name), u.id LIMIT ${MAX_MATCHES + 1}`;

const foundApplications = z.array(
  z.object({
    id: z.string(),
    name: z.string(),
    status: z.enum(['pending', 'approved', 'rejected']),
    tenantId: z.string(),
  }),
);
const foundTenants = z.array(
  z.object({ id: z.string(), name: z.string(), userId: z.string().nullable(), plan: z.string() }),
);
const foundUsers = z.array(
  z.object({
    id: z.string(),
    name: z.string().nullable(),
    username: z.string().nullable(),
    accountId: z.string().nullable(),
  }),
);

/** Each list has one match more than are shown where there are more. */
export interface Matches {
  readonly applications: z.output<typeof foundApplications>;
  readonly tenants: z.output<typeof foundTenants>;
  readonly users: z.output<typeof foundUsers>;
}

/** Finds applications, tenants and users for operators. Each user who is shown has a line in the audit log. */
@Injectable()
export class OperatorSearchService {
  constructor(private readonly database: Database) {}

  /** @param text a part of a name, or a whole id, username or wallet address */
  find(actor: Actor, text: string): Promise<Matches> {
    const parameters = [text, `%${text.replaceAll(/[\\%_]/g, String.raw`\$&`)}%`];
    return this.database.transaction(async (manager) => {
      const applications = foundApplications.parse(await queryRows(manager, APPLICATIONS, parameters));
      const tenants = foundTenants.parse(await queryRows(manager, TENANTS, parameters));
      const users = foundUsers.parse(await queryRows(manager, USERS, parameters));
      for (const { id } of users.slice(0, MAX_MATCHES))
        await recordAudit(manager, actor, { action: 'user.viewed', target: id });
      return { applications, tenants, users };
    });
  }
}
