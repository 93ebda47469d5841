import { type Queryable, queryRows } from '@app/database';
import type { EntityManager } from 'typeorm';
import { z } from 'zod';

/** SQL condition: whether the receiver of a client application is still at `url`, with this challenge or, where it is null, verified. */
export const createIsOperationReceiver = (
  callback: Record<'clientId' | 'url' | 'challenge', string>,
): string => `
  EXISTS (
    SELECT FROM token_gating.operation_receivers AS receiver
    WHERE receiver.client_id = ${callback.clientId} AND receiver.callback_url = ${callback.url}
      AND receiver.challenge IS NOT DISTINCT FROM ${callback.challenge})`;

const receiverRows = z.array(
  z.object({
    clientId: z.string(),
    tenantId: z.string(),
    url: z.string(),
    /** Whether the receiver has answered its challenge. */
    isVerified: z.boolean(),
    createdAt: z.date(),
  }),
);
export type OperationReceiver = z.output<typeof receiverRows>[number];

/** The receivers of client applications; those without one are left out. */
export async function findOperationReceivers(
  db: Queryable,
  clientIds: readonly string[],
): Promise<OperationReceiver[]> {
  const sql = `
    SELECT client_id AS "clientId", tenant_id AS "tenantId", callback_url AS url, challenge IS NULL AS "isVerified",
      created_at AS "createdAt"
    FROM token_gating.operation_receivers WHERE client_id = ANY($1::text[])`;
  return receiverRows.parse(await queryRows(db, sql, [clientIds]));
}

const challengeRows = z.tuple([z.object({ challenge: z.string().nullable() })]);

/**
 * @param challenge for a receiver that has not answered one
 * @returns the challenge that the receiver has to answer; undefined where it has answered one
 */
export async function upsertOperationReceiver(
  manager: EntityManager,
  { clientId, tenantId, url }: Pick<OperationReceiver, 'clientId' | 'tenantId' | 'url'>,
  challenge: string,
): Promise<string | undefined> {
  const sql = `
    INSERT INTO token_gating.operation_receivers AS r (client_id, tenant_id, callback_url, challenge)
    VALUES ($1, $2, $3, $4)
    ON CONFLICT (client_id) DO UPDATE
    SET tenant_id = excluded.tenant_id, callback_url = excluded.callback_url,
      challenge = CASE WHEN r.challenge IS NULL AND r.callback_url = excluded.callback_url THEN NULL ELSE excluded.challenge END
    RETURNING challenge`;
  const rows = await queryRows(manager, sql, [clientId, tenantId, url, challenge]);
  return challengeRows.parse(rows)[0].challenge ?? undefined;
}

/** Ends a challenge, so that the receiver gets callbacks. */
export async function markOperationReceiverVerified(
  db: Queryable,
  {
    clientId,
    url,
    challenge,
  }: { readonly clientId: string; readonly url: string; readonly challenge: string },
): Promise<void> {
  const sql = `
    UPDATE token_gating.operation_receivers SET challenge = NULL
    WHERE client_id = $1 AND callback_url = $2 AND challenge = $3`;
  await queryRows(db, sql, [clientId, url, challenge]);
}

/** @returns whether there was one */
export async function deleteOperationReceiver(db: Queryable, clientId: string): Promise<boolean> {
  const sql = 'DELETE FROM token_gating.operation_receivers WHERE client_id = $1 RETURNING client_id';
  return (await queryRows(db, sql, [clientId])).length > 0;
}
