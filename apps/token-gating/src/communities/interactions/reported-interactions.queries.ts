import { type Queryable, queryRows } from '@app/database';
import type { EntityManager } from 'typeorm';
import { z } from 'zod';

/**
 * Ids are remembered for longer than an interaction is accepted after it happened, so that the same one is never
 * accepted twice.
 */
const REMEMBERED_FOR = '8 days';

export interface InteractionKey {
  readonly id: string;
  /** The digest of the interaction's content. */
  readonly digest: Buffer;
}

interface Reporter {
  readonly communityId: string;
  readonly clientId: string;
}

const insertedIds = z.array(z.object({ id: z.string() }));

/** Inserts in the order of ids, in which requests wait for each other. @returns the ids that were not there */
export async function insertInteractions(
  manager: EntityManager,
  { communityId, clientId }: Reporter,
  keys: readonly InteractionKey[],
): Promise<ReadonlySet<string>> {
  const sql = `
    INSERT INTO token_gating.reported_interactions (community_id, client_id, id, digest, expires_at)
    SELECT $1, $2, id, digest, now() + interval '${REMEMBERED_FOR}'
    FROM unnest($3::text[], $4::bytea[]) AS new (id, digest) ORDER BY id
    ON CONFLICT DO NOTHING RETURNING id`;
  const columns = [keys.map(({ id }) => id), keys.map(({ digest }) => digest)];
  const rows = insertedIds.parse(await queryRows(manager, sql, [communityId, clientId, ...columns]));
  return new Set(rows.map(({ id }) => id));
}

const storedDigests = z.array(z.object({ id: z.string(), digest: z.instanceof(Buffer) }));

/** The digests of interactions that are remembered. */
export async function findDigests(
  db: Queryable,
  { communityId, clientId }: Reporter,
  ids: readonly string[],
): Promise<ReadonlyMap<string, Buffer>> {
  const sql = `
    SELECT id, digest FROM token_gating.reported_interactions
    WHERE community_id = $1 AND client_id = $2 AND id = ANY($3::text[])`;
  const rows = storedDigests.parse(await queryRows(db, sql, [communityId, clientId, ids]));
  return new Map(rows.map(({ id, digest }) => [id, digest]));
}

/** Counts interactions of this UTC day. @returns false, without counting them, where they would be more than `limit` */
export async function countInteractions(
  manager: EntityManager,
  { communityId, clientId }: Reporter,
  count: number,
  limit: number,
): Promise<boolean> {
  const sql = `
    INSERT INTO token_gating.reported_interaction_counts AS c (community_id, client_id, day, count)
    VALUES ($1, $2, (now() AT TIME ZONE 'UTC')::date, $3)
    ON CONFLICT (community_id, client_id, day) DO UPDATE SET count = c.count + excluded.count
    WHERE c.count + excluded.count <= $4
    RETURNING count`;
  return (await queryRows(manager, sql, [communityId, clientId, count, limit])).length > 0;
}

/** Forgets interactions and counts that have expired. @returns how many interactions, at most `limit` */
export async function forgetInteractions(db: Queryable, limit: number): Promise<number> {
  const sql = `
    WITH counts AS (
      DELETE FROM token_gating.reported_interaction_counts WHERE day < (now() AT TIME ZONE 'UTC')::date - 1
    )
    DELETE FROM token_gating.reported_interactions WHERE (community_id, client_id, id) IN (
      SELECT community_id, client_id, id FROM token_gating.reported_interactions
      WHERE expires_at <= now() ORDER BY expires_at LIMIT $1 FOR UPDATE SKIP LOCKED
    ) RETURNING id`;
  return (await queryRows(db, sql, [limit])).length;
}
