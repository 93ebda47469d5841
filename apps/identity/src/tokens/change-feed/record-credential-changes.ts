import type { EntityManager } from 'typeorm';

/** Older changes are deleted; a response to a request for them has `truncated: true`. */
const MAX_FEED_LENGTH = 10_000;

const LOCK = 'gatehouse credential changes';

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
