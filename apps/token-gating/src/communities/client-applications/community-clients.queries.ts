import { type Queryable, queryRows } from '@app/database';
import type { EntityManager } from 'typeorm';
import { z } from 'zod';

const clientRows = z.array(
  z.object({
    clientId: z.string(),
    callbackUrl: z.string().nullable(),
    /** Whether the receiver has answered its challenge. */
    isVerified: z.boolean(),
    createdAt: z.date(),
  }),
);

/** Attached client applications in the order in which they were attached. */
export async function listAttachedClients(db: Queryable, communityId: string) {
  const sql = `
    SELECT client_id AS "clientId", callback_url AS "callbackUrl", challenge IS NULL AS "isVerified",
      created_at AS "createdAt"
    FROM token_gating.community_clients WHERE community_id = $1 ORDER BY created_at, client_id`;
  return clientRows.parse(await queryRows(db, sql, [communityId]));
}

const countRows = z.tuple([z.object({ count: z.int() })]);

/** Counts the attached client applications except the given one. */
export async function countOtherClients(
  db: Queryable,
  communityId: string,
  clientId: string,
): Promise<number> {
  const sql = `
    SELECT count(*)::int AS count FROM token_gating.community_clients
    WHERE community_id = $1 AND client_id <> $2`;
  return countRows.parse(await queryRows(db, sql, [communityId, clientId]))[0].count;
}

export interface AttachedClient {
  readonly communityId: string;
  readonly clientId: string;
  readonly tenantId: string;
  readonly callbackUrl: string | undefined;
}

const challengeRows = z.tuple([z.object({ challenge: z.string().nullable() })]);

/**
 * Attaches a client application or changes its callback URL. @param challenge for a receiver that has not answered one
 * @returns the challenge that the receiver has to answer; undefined where it has answered one, or there is none
 */
export async function upsertAttachedClient(
  manager: EntityManager,
  { communityId, clientId, tenantId, callbackUrl }: AttachedClient,
  challenge: string,
): Promise<string | undefined> {
  const sql = `
    INSERT INTO token_gating.community_clients AS k (community_id, client_id, tenant_id, callback_url, challenge)
    VALUES ($1, $2, $3, $4::text, CASE WHEN $4::text IS NOT NULL THEN $5 END)
    ON CONFLICT (community_id, client_id) DO UPDATE
    SET tenant_id = excluded.tenant_id, callback_url = excluded.callback_url,
      challenge = CASE WHEN k.challenge IS NULL AND k.callback_url = excluded.callback_url THEN NULL ELSE excluded.challenge END
    RETURNING challenge`;
  const parameters = [communityId, clientId, tenantId, callbackUrl ?? null, challenge];
  return challengeRows.parse(await queryRows(manager, sql, parameters))[0].challenge ?? undefined;
}

/** @returns whether the client application was attached */
export async function deleteAttachedClient(
  manager: EntityManager,
  communityId: string,
  clientId: string,
): Promise<boolean> {
  const sql = `
    DELETE FROM token_gating.community_clients WHERE community_id = $1 AND client_id = $2 RETURNING client_id`;
  return (await queryRows(manager, sql, [communityId, clientId])).length > 0;
}
