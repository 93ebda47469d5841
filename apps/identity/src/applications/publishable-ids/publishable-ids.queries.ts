import { type Queryable, queryRows } from '@app/database';
import type { CredentialResponse } from '@app/dto';
import { z } from 'zod';
import { toCredentialResponse } from '../entities/api-keys.queries.js';

/** A single statement, and so a single snapshot of the record and the change feed, as for API keys. */
const CREDENTIAL = `
  SELECT (SELECT coalesce(max(seq), 0) FROM identity.credential_changes) AS "asOf",
    (SELECT to_jsonb(found) FROM (
      SELECT p.id AS "keyId", NULL AS "expiresAt", p.origins, c.id AS "clientId", c.approved_scopes AS scopes,
        h.id AS "ownerId", h.plan, h.per_second AS "perSecond", h.per_month AS "perMonth"
      FROM identity.publishable_ids p
      JOIN identity.client_applications c ON c.id = p.client_id AND c.deleted_at IS NULL
      JOIN identity.plan_holders h ON h.id = c.owner_id
      WHERE p.publishable_id = $1 AND p.revoked_at IS NULL
    ) found) AS record`;

/** Looks up a publishable id by its text. Unknown and revoked ones give the same answer. */
export async function findPublishableId(db: Queryable, text: string): Promise<CredentialResponse> {
  return toCredentialResponse(await queryRows(db, CREDENTIAL, [text]));
}

const publishableIds = z.array(
  z.object({
    id: z.string(),
    publishableId: z.string(),
    name: z.string().nullable(),
    origins: z.array(z.string()),
    createdAt: z.date(),
  }),
);
export type PublishableId = z.output<typeof publishableIds>[number];

/** The live publishable ids of an application, oldest first. */
export async function listPublishableIds(db: Queryable, clientId: string): Promise<PublishableId[]> {
  const sql = `
    SELECT id, publishable_id AS "publishableId", name, origins, created_at AS "createdAt"
    FROM identity.publishable_ids WHERE client_id = $1 AND revoked_at IS NULL ORDER BY created_at, id`;
  return publishableIds.parse(await queryRows(db, sql, [clientId]));
}

export async function insertPublishableId(
  db: Queryable,
  clientId: string,
  { id, publishableId, name, origins, createdAt }: PublishableId,
): Promise<void> {
  const sql = `
    INSERT INTO identity.publishable_ids (id, client_id, publishable_id, name, origins, created_at)
    VALUES ($1, $2, $3, $4, $5, $6)`;
  await queryRows(db, sql, [id, clientId, publishableId, name, origins, createdAt]);
}

/** @returns whether the application has the id. A revoked one stays revoked since then */
export async function revokePublishableId(db: Queryable, clientId: string, id: string): Promise<boolean> {
  const sql = `
    UPDATE identity.publishable_ids SET revoked_at = coalesce(revoked_at, now())
    WHERE client_id = $1 AND id = $2 RETURNING id`;
  const revoked: unknown[] = await queryRows(db, sql, [clientId, id]);
  return revoked.length > 0;
}
