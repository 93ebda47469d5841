import type { EntityManager } from 'typeorm';

/** Older changes are forgotten. Who asks for them is told that the answer is truncated. */
export const MAX_FEED_LENGTH = 10_000;

const LOCK = 'gatehouse credential changes';

/**
 * Says that these client applications' credentials are not what they were, and that these tokens were revoked. The last thing a transaction does: from
 * here until its end every other change waits, so that sequence numbers become visible in their own order. Otherwise
 * a reader that saw 8 before 7 was committed would never ask for 7 again.
 */
export async function recordCredentialChanges(
  manager: EntityManager,
  clientIds: readonly string[],
  tokenIds: readonly string[] = [],
): Promise<void> {
  if (clientIds.length + tokenIds.length === 0) return;
  await manager.query('SELECT pg_advisory_xact_lock(hashtextextended($1, 0))', [LOCK]);
  await manager.query(
    `INSERT INTO identity.credential_changes (client_id, token_id)
      SELECT unnest($1::text[]), NULL UNION ALL SELECT NULL, unnest($2::text[])`,
    [clientIds, tokenIds],
  );
  await manager.query(
    `DELETE FROM identity.credential_changes
      WHERE seq <= (SELECT max(seq) FROM identity.credential_changes) - $1`,
    [MAX_FEED_LENGTH],
  );
}
