import { type Queryable, queryRows } from '@app/database';
import type { EntityManager } from 'typeorm';
import { z } from 'zod';
import { INTERACTIONS, TRANSITIONS } from '../ingest/to-rollups.js';
import type { Count, CountKind } from '../rollups/event-counts.queries.js';
import { formatDay } from '../rollups/quarter-hours.js';
import type { PairChange } from '../rollups/state-intervals.queries.js';
import type { Activity } from '../rollups/user-sketches.queries.js';

/** The begin of a day in UTC, as a parameter. */
const beginOf = (parameter: string) => `(${parameter}::date::timestamp AT TIME ZONE 'UTC')`;
const QUARTER = (column: string) => `floor(extract(epoch FROM ${column}) / 900)::int`;

/** @param from a UTC day. The community must be locked. */
export async function deleteNumbersFrom(
  manager: EntityManager,
  communityId: string,
  from: string,
): Promise<void> {
  const conditions = [
    ['event_counts', 'day >= $2::date'],
    ['user_sketches', `begin_at >= ${beginOf('$2')}`],
    ['state_intervals', `from_at >= ${beginOf('$2')}`],
  ];
  for (const [table, condition] of conditions)
    await queryRows(manager, `DELETE FROM analytics.${table} WHERE community_id = $1 AND ${condition}`, [
      communityId,
      from,
    ]);
}

const INSERT_STATES = `
  INSERT INTO analytics.state_intervals (community_id, kind, user_id, key, from_at, ended, until_at, change)
  SELECT DISTINCT e.community_id, t.kind, e.user_id, coalesce(e.role_id, e.account_id, ''), e.at, t.ended,
    'infinity'::timestamptz, 0
  FROM analytics.events e
  JOIN unnest($3::text[], $4::text[], $5::boolean[]) AS t (type, kind, ended) ON t.type = e.type
  WHERE e.community_id = $1 AND e.at >= ${beginOf('$2')}`;

/** Intervals before the first day are affected too: the last one ends where the next one begins. */
const LINK_STATES = `
  UPDATE analytics.state_intervals s SET until_at = chain.until_at, change = chain.change
  FROM (
    SELECT community_id, kind, user_id, key, from_at, ended,
      coalesce(lead(from_at) OVER states, 'infinity') AS until_at,
      coalesce(lag(ended) OVER states, true)::int - ended::int AS change
    FROM analytics.state_intervals WHERE community_id = $1
    WINDOW states AS (PARTITION BY kind, user_id, key ORDER BY from_at, ended)
  ) AS chain
  WHERE s.community_id = chain.community_id AND s.kind = chain.kind AND s.user_id = chain.user_id AND s.key = chain.key
    AND s.from_at = chain.from_at AND s.ended = chain.ended
    AND (s.until_at, s.change) IS DISTINCT FROM (chain.until_at, chain.change)`;

/** The numbers from that UTC day on must be deleted. */
export async function rebuildStates(
  manager: EntityManager,
  communityId: string,
  from: string,
): Promise<void> {
  const transitions = Object.entries(TRANSITIONS);
  await queryRows(manager, INSERT_STATES, [
    communityId,
    from,
    transitions.map(([type]) => type),
    transitions.map(([, { kind }]) => kind),
    transitions.map(([, { ended }]) => ended),
  ]);
  await queryRows(manager, LINK_STATES, [communityId]);
}

const pairChanges = z.array(z.object({ quarter: z.int(), change: z.int() }));

export async function listPairChanges(
  db: Queryable,
  communityId: string,
  from: string,
): Promise<PairChange[]> {
  const sql = `
    SELECT ${QUARTER('from_at')} AS quarter, sum(change)::int AS change FROM analytics.state_intervals
    WHERE community_id = $1 AND kind = 'wallet' AND from_at >= ${beginOf('$2')}
    GROUP BY 1 HAVING sum(change) <> 0`;
  const rows = pairChanges.parse(await queryRows(db, sql, [communityId, from]));
  return rows.map((row) => ({ communityId, ...row }));
}

const days = z.array(z.object({ day: z.int() }));

/** The UTC days with events, counted from 1970-01-01. */
export async function listEventDays(db: Queryable, communityId: string, from: string): Promise<number[]> {
  const sql = `
    SELECT DISTINCT floor(extract(epoch FROM at) / 86400)::int AS day FROM analytics.events
    WHERE community_id = $1 AND at >= ${beginOf('$2')} ORDER BY day`;
  return days.parse(await queryRows(db, sql, [communityId, from])).map(({ day }) => day);
}

const OF_DAY = `community_id = $1 AND at >= ${beginOf('$2')} AND at < ${beginOf('$2')} + interval '24 hours'`;

const counts = z.array(
  z.object({ kind: z.custom<CountKind>(), roleId: z.string(), quarter: z.int(), count: z.int() }),
);

export async function countEvents(db: Queryable, communityId: string, day: number): Promise<Count[]> {
  const sql = `
    SELECT type AS kind, coalesce(role_id, '') AS "roleId", ${QUARTER('at')} AS quarter, count(*)::int AS count
    FROM analytics.events WHERE ${OF_DAY} GROUP BY 1, 2, 3`;
  const rows = counts.parse(await queryRows(db, sql, [communityId, formatDay(day)]));
  return rows.map((row) => ({ communityId, ...row }));
}

const activities = z.array(z.object({ userId: z.string(), quarter: z.int() }));

export async function listActiveUsers(db: Queryable, communityId: string, day: number): Promise<Activity[]> {
  const sql = `
    SELECT DISTINCT user_id AS "userId", ${QUARTER('at')} AS quarter
    FROM analytics.events WHERE ${OF_DAY} AND type = ANY($3::text[])`;
  const rows = activities.parse(await queryRows(db, sql, [communityId, formatDay(day), INTERACTIONS]));
  return rows.map((row) => ({ communityId, ...row }));
}
