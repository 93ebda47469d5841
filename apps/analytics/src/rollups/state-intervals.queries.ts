import { type Queryable, queryRows } from '@app/database';
import type { EntityManager } from 'typeorm';
import { z } from 'zod';

/** What a member can have: the membership itself, a role, or a wallet. */
export type StateKind = 'membership' | 'role' | 'wallet';

/** The begin or the end of a state of a member. */
export interface Transition {
  readonly communityId: string;
  readonly kind: StateKind;
  readonly userId: string;
  /** The role or the wallet; empty for the membership. */
  readonly key: string;
  readonly at: string;
  readonly ended: boolean;
}

/**
 * Every transition is a row, and with it an interval until the next transition of the same state. So a late transition splits
 * one interval, and the rows depend only on the set of transitions. `change` is what the transition adds to the number of
 * those who have the state: 0 where it repeats the one before. Rows are updated where they were found: the lock of their communities
 * keeps them there.
 */
const INSERT_TRANSITIONS = `
  WITH given AS (
    SELECT DISTINCT t."communityId" AS community_id, t.kind, t."userId" AS user_id, t.key, t.at AS from_at, t.ended
    FROM jsonb_to_recordset($1::jsonb) AS t (
      "communityId" text, kind text, "userId" text, key text, at timestamptz, ended boolean
    )
  ), found AS MATERIALIZED (
    SELECT given.*, p.from_at AS p_from_at, p.ended AS p_ended, p.until_at AS p_until_at, p.change AS p_change,
      p.place AS p_place,
      n.from_at AS n_from_at, n.ended AS n_ended, n.until_at AS n_until_at, n.change AS n_change,
      n.place AS n_place
    FROM given
    LEFT JOIN LATERAL (
      SELECT s.from_at, s.ended, s.until_at, s.change, s.ctid AS place FROM analytics.state_intervals s
      WHERE s.community_id = given.community_id AND s.kind = given.kind AND s.user_id = given.user_id
        AND s.key = given.key AND (s.from_at, s.ended) <= (given.from_at, given.ended)
      ORDER BY s.from_at DESC, s.ended DESC LIMIT 1
    ) AS p ON true
    LEFT JOIN LATERAL (
      SELECT s.from_at, s.ended, s.until_at, s.change, s.ctid AS place FROM analytics.state_intervals s
      WHERE s.community_id = given.community_id AND s.kind = given.kind AND s.user_id = given.user_id
        AND s.key = given.key AND (s.from_at, s.ended) > (given.from_at, given.ended)
        AND p.until_at IS DISTINCT FROM 'infinity'
      ORDER BY s.from_at, s.ended LIMIT 1
    ) AS n ON true
  ), new AS (
    SELECT * FROM found WHERE (p_from_at, p_ended) IS DISTINCT FROM (from_at, ended)
  ), neighbour AS (
    SELECT community_id, kind, user_id, key, p_from_at AS from_at, p_ended AS ended, p_until_at AS until_at,
      p_change AS change, p_place AS place FROM new WHERE p_from_at IS NOT NULL
    UNION
    SELECT community_id, kind, user_id, key, n_from_at, n_ended, n_until_at, n_change, n_place
    FROM new WHERE n_from_at IS NOT NULL
  ), chain AS (
    SELECT *, lag(ended) OVER states AS previous_ended, coalesce(lag(is_new) OVER states, false) AS follows_new,
      lead(from_at) OVER states AS next_from_at, coalesce(lead(is_new) OVER states, false) AS precedes_new
    FROM (
      SELECT community_id, kind, user_id, key, from_at, ended, 'infinity'::timestamptz AS until_at,
        0 AS old_change, NULL::tid AS place, true AS is_new FROM new
      UNION ALL
      SELECT community_id, kind, user_id, key, from_at, ended, until_at, change, place, false FROM neighbour
    ) AS rows
    WINDOW states AS (PARTITION BY community_id, kind, user_id, key ORDER BY from_at, ended)
  ), linked AS (
    SELECT community_id, kind, user_id, key, from_at, ended, place, is_new, old_change,
      is_new OR follows_new OR precedes_new AS is_affected,
      CASE WHEN is_new OR precedes_new THEN coalesce(next_from_at, 'infinity') ELSE until_at END AS until_at,
      CASE WHEN is_new OR follows_new THEN coalesce(previous_ended, true)::int - ended::int ELSE old_change END AS change
    FROM chain
  ), inserted AS (
    INSERT INTO analytics.state_intervals (community_id, kind, user_id, key, from_at, ended, until_at, change)
    SELECT community_id, kind, user_id, key, from_at, ended, until_at, change FROM linked WHERE is_new
  ), updated AS (
    UPDATE analytics.state_intervals s SET until_at = l.until_at, change = l.change
    FROM linked l
    WHERE l.is_affected AND NOT l.is_new AND s.ctid = l.place
  )
  SELECT community_id AS "communityId", floor(extract(epoch FROM from_at) / 900)::int AS quarter,
    sum(change - old_change)::int AS change
  FROM linked WHERE kind = 'wallet' AND change <> old_change
  GROUP BY 1, 2`;

const pairChanges = z.array(z.object({ communityId: z.string(), quarter: z.int(), change: z.int() }));

/** How the number of pairs of a member and a wallet changes in a quarter-hour. */
export type PairChange = z.output<typeof pairChanges>[number];

/** Inserts transitions in any order; those that exist are ignored. Their communities must be locked. */
export async function insertTransitions(
  manager: EntityManager,
  transitions: readonly Transition[],
): Promise<PairChange[]> {
  if (transitions.length === 0) return [];
  return pairChanges.parse(await queryRows(manager, INSERT_TRANSITIONS, [JSON.stringify(transitions)]));
}

/** A transition at the very end is excluded, as all events then. $2 is the time. */
const HELD = 'NOT ended AND until_at >= $2::timestamptz AND from_at < $2::timestamptz';

/** Grouped by user instead of joined, so that no plan of an average community is slow for a large one. */
const COUNT_MEMBERS = `
  WITH member AS (
    SELECT array_agg(key) FILTER (WHERE kind = 'role') AS roles FROM analytics.state_intervals
    WHERE community_id = $1 AND kind IN ('membership', 'role') AND ${HELD}
      AND (kind = 'membership' OR $3::text[] IS NULL OR key = ANY($3::text[]))
    GROUP BY user_id HAVING bool_or(kind = 'membership')
  )
  SELECT 'role' AS what, role AS "roleId", count(*)::int AS count FROM member, unnest(roles) AS role GROUP BY role
  UNION ALL SELECT 'withRole', '', count(roles)::int FROM member
  UNION ALL SELECT 'members', '', count(*)::int FROM member`;

const memberCounts = z.array(
  z.object({ what: z.enum(['role', 'withRole', 'members']), roleId: z.string(), count: z.int() }),
);

export interface MemberCounts {
  readonly members: number;
  /** Members with at least one of the roles. */
  readonly withRole: number;
  readonly byRole: ReadonlyMap<string, number>;
}

/** Counts the members of a community and the holders of its roles at a time. @param roleIds undefined for all roles */
export async function countMembers(
  db: Queryable,
  communityId: string,
  at: number,
  roleIds: readonly string[] | undefined,
): Promise<MemberCounts> {
  const parameters = [communityId, new Date(at).toISOString(), roleIds ?? null];
  const counts = { members: 0, withRole: 0, byRole: new Map<string, number>() };
  for (const { what, roleId, count } of memberCounts.parse(await queryRows(db, COUNT_MEMBERS, parameters))) {
    if (what === 'role') counts.byRole.set(roleId, count);
    else counts[what] = count;
  }
  return counts;
}
