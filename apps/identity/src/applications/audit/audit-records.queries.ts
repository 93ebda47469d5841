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
