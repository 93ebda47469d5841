import { queryRows } from '@app/database';
import type { EntityManager } from 'typeorm';
import type { Actor, AuditAction } from './audit-action.js';

export interface AuditEntry {
  action: AuditAction;
  /** The id of a client application or a tenant, or the name of a list. */
  target: string;
  /** Never a secret, an API key or a token. */
  details?: Record<string, unknown>;
}

/** Removes the usernames that operators gave to a user. Call it in the transaction of the user's erasure. */
export async function eraseGivenUsernames(manager: EntityManager, userId: string): Promise<void> {
  const sql = `
    UPDATE identity.audit_records SET details = details - 'username' WHERE target = $1 AND action = $2`;
  await queryRows(manager, sql, [userId, 'username.given' satisfies AuditAction]);
}

/** Writes an audit record in the transaction of the action, so that both commit or neither. */
export async function recordAudit(
  manager: EntityManager,
  { kind, id }: Actor,
  { action, target, details = {} }: AuditEntry,
): Promise<void> {
  await queryRows(
    manager,
    `INSERT INTO identity.audit_records (actor_kind, actor_id, action, target, details) VALUES ($1, $2, $3, $4, $5)`,
    [kind, id, action, target, JSON.stringify(details)],
  );
}
