import { queryRows } from '@app/database';
import type { Scope } from '@app/dto';
import type { EntityManager } from 'typeorm';
import { z } from 'zod';
import { type ConsentKey, deletedGrant, toConsentKeys } from './oauth-models.queries.js';

const MAX_SWEPT_ROWS = 1_000;

/** Keeps rows for a minute after their expiry, because clocks differ. */
const DELETE_EXPIRED = `
  DELETE FROM identity.oauth_models WHERE (kind, id) IN (
    SELECT kind, id FROM identity.oauth_models WHERE expires_at < now() - interval '1 minute'
    ORDER BY expires_at LIMIT ${MAX_SWEPT_ROWS} FOR UPDATE SKIP LOCKED
  )
  RETURNING kind, account_id AS "userId", client_id AS "clientId", payload #>> '{openid,scope}' AS scopes`;

const expiredModels = z.array(deletedGrant.extend({ kind: z.string() }));

/** Deletes a batch of expired models. @returns the users and client applications of expired grants that included the scope */
export async function deleteExpiredModels(
  manager: EntityManager,
  scope: Scope,
): Promise<{ hasMore: boolean; ended: ConsentKey[] }> {
  const deleted = expiredModels.parse(await queryRows(manager, DELETE_EXPIRED, []));
  const grants = deleted.filter(({ kind }) => kind === 'Grant');
  return { hasMore: deleted.length === MAX_SWEPT_ROWS, ended: toConsentKeys(grants, scope) };
}
