import { type Queryable, queryRows } from '@app/database';
import type { EntityManager } from 'typeorm';
import { z } from 'zod';
import { EXACT_SKETCH, hashMember } from '../rollups/distinct-sketch.js';
import type { ErasureTarget, Pseudonym } from './erasure-progress.queries.js';

const maskSql = (account: string, salt: string): string =>
  `'erased:' || encode(sha256(convert_to(${salt} || ${account}, 'UTF8')), 'hex')`;

const scannedRows = z.tuple([z.object({ scanned: z.int() })]);

/**
 * Replaces the user in the next events of the partition of the progress, and moves the progress behind them. No index finds the events of a user,
 * so that those of the community are read. The community must be locked.
 * @returns whether the partition has more
 */
export async function replaceInEvents(
  manager: EntityManager,
  { userId, communityId }: ErasureTarget,
  { partition, limit }: { partition: string; limit: number },
  pseudonym: Pseudonym,
): Promise<boolean> {
  const progress = (column: string): string =>
    `(SELECT ${column} FROM analytics.erasure_progress WHERE user_id = $1 AND community_id = $2)`;
  const sql = `
    WITH page AS MATERIALIZED (
      SELECT at, id, received_at, user_id FROM analytics.${partition}
      WHERE community_id = $2 AND (received_at, id) > (${progress('received_at')}, ${progress('event_id')})
      ORDER BY received_at, id LIMIT $3
    ), replaced AS (
      UPDATE analytics.${partition} e SET user_id = $4, account_id = ${maskSql('e.account_id', '$5::text')}
      FROM page WHERE page.user_id = $1 AND e.at = page.at AND e.id = page.id
    ), moved AS (
      UPDATE analytics.erasure_progress p SET received_at = last.received_at, event_id = last.id
      FROM (SELECT received_at, id FROM page ORDER BY received_at DESC, id DESC LIMIT 1) AS last
      WHERE p.user_id = $1 AND p.community_id = $2
    )
    SELECT count(*)::int AS scanned FROM page`;
  const parameters = [userId, communityId, limit, pseudonym.userId, pseudonym.salt];
  return scannedRows.parse(await queryRows(manager, sql, parameters))[0].scanned === limit;
}

/** The community must be locked. */
export async function replaceInStates(
  manager: EntityManager,
  { userId, communityId }: ErasureTarget,
  pseudonym: Pseudonym,
): Promise<void> {
  await queryRows(
    manager,
    `UPDATE analytics.state_intervals
     SET user_id = $3, key = CASE WHEN kind = 'wallet' THEN ${maskSql('key', '$4::text')} ELSE key END
     WHERE community_id = $1 AND kind IN ('membership', 'role', 'wallet') AND user_id = $2`,
    [communityId, userId, pseudonym.userId, pseudonym.salt],
  );
}

const sketchKeys = z.array(
  z.object({ span: z.int(), beginAt: z.date(), isExact: z.boolean(), hasUser: z.boolean() }),
);
export type SketchKey = Pick<z.output<typeof sketchKeys>[number], 'span' | 'beginAt'>;

/**
 * The exact sketches that hold a user. From others a single user cannot be told.
 * @param limit of the sketches that one statement reads
 */
export async function listSketchesOfUser(
  db: Queryable,
  { userId, communityId }: ErasureTarget,
  limit: number,
): Promise<SketchKey[]> {
  const sql = `
    SELECT span, begin_at AS "beginAt", get_byte(sketch, 0) = ${EXACT_SKETCH} AS "isExact",
      position($2::bytea IN sketch) > 0 AS "hasUser"
    FROM analytics.user_sketches
    WHERE community_id = $1 AND (span, begin_at) > ($3::smallint, $4::timestamptz)
    ORDER BY span, begin_at LIMIT $5`;
  const found: SketchKey[] = [];
  let [span, beginAt] = [0, new Date(0)];
  for (let hasMore = true; hasMore;) {
    const parameters = [communityId, hashMember(userId), span, beginAt.toISOString(), limit];
    const page = sketchKeys.parse(await queryRows(db, sql, parameters));
    found.push(...page.filter(({ isExact, hasUser }) => isExact && hasUser));
    ({ span, beginAt } = page.at(-1) ?? { span, beginAt });
    hasMore = page.length === limit;
  }
  return found;
}

/** Replaces the hash of the user in sketches that hold it. The community must be locked. */
export async function replaceInSketches(
  manager: EntityManager,
  { userId, communityId }: ErasureTarget,
  sketches: readonly SketchKey[],
  pseudonym: Pseudonym,
): Promise<void> {
  const sql = `
    UPDATE analytics.user_sketches s
    SET sketch = overlay(s.sketch PLACING $3::bytea FROM position($2::bytea IN s.sketch))
    FROM unnest($4::int[], $5::timestamptz[]) AS k (span, begin_at)
    WHERE s.community_id = $1 AND s.span = k.span AND s.begin_at = k.begin_at
      AND get_byte(s.sketch, 0) = ${EXACT_SKETCH} AND position($2::bytea IN s.sketch) > 0`;
  await queryRows(manager, sql, [
    communityId,
    hashMember(userId),
    hashMember(pseudonym.userId),
    sketches.map(({ span }) => span),
    sketches.map(({ beginAt }) => beginAt.toISOString()),
  ]);
}
