import { formatTimestampSql, type Queryable, queryRows } from '@app/database';
import { communityEvent, type CommunityEvent, type MemberEvent } from '@app/dto';
import type { EntityManager } from 'typeorm';
import { z } from 'zod';
import { findErasedUsersSql } from './erasures.queries.js';
import type { RepairEvent } from '../rollups/repair-event.js';

/** An event that is stored and counted. */
export type StoredEvent = MemberEvent | RepairEvent;

export const isStored = (event: CommunityEvent | RepairEvent): event is StoredEvent =>
  'communityId' in event && 'userId' in event;

const ingestContexts = z.tuple([
  z.object({ now: z.number(), deleted: z.array(z.string()), erased: z.array(z.string()) }),
]);

/** The database's time in milliseconds since 1970, which of the communities are deleted, and which of the users are erased. */
export async function loadIngestContext(
  db: Queryable,
  communityIds: readonly string[],
  userIds: readonly string[],
) {
  const sql = `
    SELECT floor(extract(epoch FROM clock_timestamp()) * 1000)::float8 AS now,
      ARRAY(SELECT community_id FROM analytics.deleted_communities WHERE community_id = ANY($1::text[])) AS deleted,
      ARRAY(${findErasedUsersSql('$2')}) AS erased`;
  return ingestContexts.parse(await queryRows(db, sql, [communityIds, userIds]))[0];
}

const INSERT_EVENTS = `
  INSERT INTO analytics.events (id, type, at, community_id, user_id, role_id, account_id, is_demo)
  SELECT e.*, $8
  FROM unnest($1::uuid[], $2::text[], $3::timestamptz[], $4::text[], $5::text[], $6::text[], $7::text[]) AS e (id, type, at)
  ORDER BY e.at, e.id
  ON CONFLICT (at, id) DO NOTHING
  RETURNING id`;

const insertedIds = z.array(z.object({ id: z.string() }));

/** Idempotent by id and time. @returns the ids of the events that were not stored before */
export async function insertEvents(
  manager: EntityManager,
  events: readonly StoredEvent[],
  isDemo: boolean,
): Promise<ReadonlySet<string>> {
  const columns = [
    events.map(({ id }) => id),
    events.map(({ type }) => type),
    events.map(({ at }) => at),
    events.map(({ communityId }) => communityId),
    events.map(({ userId }) => userId),
    events.map((event) => ('roleId' in event ? event.roleId : null)),
    events.map((event) => ('accountId' in event ? event.accountId : null)),
  ];
  const rows = await queryRows(manager, INSERT_EVENTS, [...columns, isDemo]);
  return new Set(insertedIds.parse(rows).map(({ id }) => id));
}

/** Rows that are being moved into partitions are skipped, because their mover waits for the lock of the community. */
const DELETED_TABLES = [
  ['events', ''],
  ['community_events', 'FOR UPDATE SKIP LOCKED'],
] as const;

/**
 * The community must be locked.
 * @returns how many rows were deleted, at most `limit`
 */
export async function deleteEvents(
  manager: EntityManager,
  communityId: string,
  limit: number,
): Promise<number> {
  let deleted = 0;
  for (const [table, locking] of DELETED_TABLES) {
    const sql = `
      DELETE FROM analytics.${table} WHERE (at, id) IN (
        SELECT at, id FROM analytics.${table} WHERE community_id = $1 LIMIT $2 ${locking}
      )
      RETURNING 1`;
    deleted += (await queryRows(manager, sql, [communityId, limit - deleted])).length;
  }
  return deleted;
}

const TAKE_UNPARTITIONED = `
  DELETE FROM analytics.community_events WHERE id IN (
    SELECT id FROM analytics.community_events WHERE id = ANY($1::uuid[]) FOR UPDATE SKIP LOCKED
  )
  RETURNING id, type, ${formatTimestampSql('at')} AS at, community_id AS "communityId", user_id AS "userId",
    role_id AS "roleId", account_id AS "accountId"`;

const takenEvents = z.array(
  z
    .looseObject({})
    .transform((row) => Object.fromEntries(Object.entries(row).filter(([, value]) => value !== null))),
);

const eventIds = z.array(z.object({ id: z.string() }).transform(({ id }) => id));

/** Ids of events in the table of the release before partitions, without those that are not to be tried yet. */
export async function listUnpartitionedEvents(
  db: Queryable,
  limit: number,
  except: readonly string[],
): Promise<string[]> {
  const sql = 'SELECT id FROM analytics.community_events WHERE id <> ALL($2::uuid[]) LIMIT $1';
  return eventIds.parse(await queryRows(db, sql, [limit, except]));
}

/** Takes events out of the table in which the release before partitions stores them. */
export async function takeUnpartitionedEvents(
  manager: EntityManager,
  ids: readonly string[],
): Promise<CommunityEvent[]> {
  const rows = takenEvents.parse(await queryRows(manager, TAKE_UNPARTITIONED, [ids]));
  return z.array(communityEvent).parse(rows);
}
