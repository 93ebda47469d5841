import { lockTransaction, type Queryable, queryRows } from '@app/database';
import { revokedToken } from '@app/dto';
import type { EntityManager } from 'typeorm';
import { z } from 'zod';

/** Older changes are deleted; a response to a request for them has `truncated: true`. */
const MAX_FEED_LENGTH = 10_000;

/**
 * Appends changes to the feed. Call it last in a transaction: its lock serialises commits, so that sequence numbers become
 * visible in order and a reader that has seen 8 never misses a later commit of 7.
 */
export async function recordCredentialChanges(
  manager: EntityManager,
  clientIds: readonly string[],
  tokenIds: readonly string[] = [],
): Promise<void> {
  if (clientIds.length + tokenIds.length === 0) return;
  await lockTransaction(manager, 'gatehouse credential changes');
  await queryRows(
    manager,
    `INSERT INTO identity.credential_changes (client_id, token_id)
      SELECT unnest($1::text[]), NULL UNION ALL SELECT NULL, unnest($2::text[])`,
    [clientIds, tokenIds],
  );
  await queryRows(
    manager,
    `DELETE FROM identity.credential_changes
      WHERE seq <= (SELECT max(seq) FROM identity.credential_changes) - $1`,
    [MAX_FEED_LENGTH],
  );
}

const MAX_CHANGES_PER_PAGE = 1_000;

const sequenceNumber = z.bigint().transform(Number).pipe(z.int());

const pageRows = z.tuple([
  z.object({
    first: sequenceNumber,
    newest: sequenceNumber,
    last: sequenceNumber,
    clientIds: z.array(z.string()),
    revoked: z.array(revokedToken),
  }),
]);

/**
 * A single statement and so a single snapshot: `last` covers exactly the returned changes. Omits expired revocations.
 * `ANY (ARRAY(…))` makes PostgreSQL use the index whatever row count it estimates.
 */
const CHANGES = `
  WITH feed AS (
    SELECT coalesce(min(seq), 1) AS first, coalesce(max(seq), 0) AS newest FROM identity.credential_changes
  ), part AS (
    SELECT seq, client_id, token_id FROM identity.credential_changes WHERE seq > $1 ORDER BY seq LIMIT $2
  )
  SELECT first, newest, coalesce((SELECT max(seq) FROM part), newest) AS last,
    ARRAY(SELECT DISTINCT client_id FROM part WHERE client_id IS NOT NULL) AS "clientIds",
    (SELECT coalesce(jsonb_agg(jsonb_build_object(
        'id', id, 'expiresAtMs', ceil(extract(epoch FROM expires_at) * 1000)
      )), '[]')
      FROM identity.revoked_tokens WHERE id = ANY (ARRAY(SELECT token_id FROM part))) AS revoked
  FROM feed`;

/** A page of the feed after a sequence number, and the feed's first and newest numbers. */
export async function loadChanges(db: Queryable, after: number) {
  return pageRows.parse(await queryRows(db, CHANGES, [after, MAX_CHANGES_PER_PAGE]))[0];
}
