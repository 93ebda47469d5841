import { lockTransaction, type Queryable, queryRows } from '@app/database';
import type { EntityManager } from 'typeorm';
import { z } from 'zod';
import { MAX_LISTED_ACTIONS, MAX_LISTED_BYTES } from './action-limits.js';

/**
 * The owner of the key that signs for an action: the account at one client application; or, if the action was listed by
 * a release that had no such keys, the account at all client applications.
 */
type ActionKeyScope = 'application' | 'account';

/** An action on the list of a client application. The CID is of version 1. */
export interface CustomAction {
  readonly clientId: string;
  readonly cid: string;
  readonly source: Buffer;
  readonly keyScope: ActionKeyScope;
}

/** Without its source. */
export interface ListedAction {
  readonly cid: string;
  readonly size: number;
  readonly createdAt: Date;
  readonly keyScope: ActionKeyScope;
}

const keyScope = z.enum(['application', 'account'] satisfies ActionKeyScope[]);
const listedRows = z.array(z.object({ cid: z.string(), size: z.int(), createdAt: z.date(), keyScope }));
const actionRows = z.array(z.object({ source: z.instanceof(Buffer), keyScope }));

/** Inserts an action, with keys of its client application, unless the list would exceed its limits. @returns whether it is on the list now */
export async function insertAction(
  manager: EntityManager,
  { clientId, cid, source }: Omit<CustomAction, 'keyScope'>,
): Promise<boolean> {
  // The lock needs a statement of its own: only later statements count what was committed before it.
  await lockTransaction(manager, `account-kit custom actions of ${clientId}`);
  const sql = `
    WITH listed AS (
      SELECT count(*) AS actions, coalesce(sum(size), 0) AS bytes
      FROM account_kit.custom_actions WHERE client_id = $1 AND cid <> $2
    )
    INSERT INTO account_kit.custom_actions (client_id, cid, source, size, key_scope)
    SELECT $1, $2, $3, $4::int, 'application' FROM listed WHERE actions < $5 AND bytes + $4::int <= $6
    ON CONFLICT (client_id, cid) DO UPDATE SET source = excluded.source
    RETURNING cid`;
  const parameters = [clientId, cid, source, source.length, MAX_LISTED_ACTIONS, MAX_LISTED_BYTES];
  return (await queryRows(manager, sql, parameters)).length > 0;
}

/** Undefined when it is not on the list of the client application. */
export async function findAction(
  db: Queryable,
  clientId: string,
  cid: string,
): Promise<CustomAction | undefined> {
  const sql = `SELECT source, key_scope AS "keyScope" FROM account_kit.custom_actions WHERE client_id = $1 AND cid = $2`;
  const [row] = actionRows.parse(await queryRows(db, sql, [clientId, cid]));
  return row && { clientId, cid, ...row };
}

/** Listed actions, oldest first, at most MAX_LISTED_ACTIONS. */
export async function listActions(db: Queryable, clientId: string): Promise<ListedAction[]> {
  const sql = `
    SELECT cid, size, created_at AS "createdAt", key_scope AS "keyScope"
    FROM account_kit.custom_actions WHERE client_id = $1 ORDER BY created_at, cid`;
  return listedRows.parse(await queryRows(db, sql, [clientId]));
}

/** @returns whether it was on the list */
export async function deleteAction(db: Queryable, clientId: string, cid: string): Promise<boolean> {
  const sql = 'DELETE FROM account_kit.custom_actions WHERE client_id = $1 AND cid = $2 RETURNING cid';
  return (await queryRows(db, sql, [clientId, cid])).length > 0;
}
