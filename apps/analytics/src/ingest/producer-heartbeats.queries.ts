import { formatTimestampSql, type Queryable, queryRows } from '@app/database';
import { EVENT_PRODUCERS, type CommunityEvent } from '@app/dto';
import { z } from 'zod';

export type Heartbeat = Extract<CommunityEvent, { type: 'producer.heartbeat' }>;

/** Saves heartbeats, which may come in any order: the latest of a producer counts. */
export async function saveHeartbeats(db: Queryable, heartbeats: readonly Heartbeat[]): Promise<void> {
  const sql = `
    INSERT INTO analytics.producer_heartbeats AS h (producer, until_at)
    SELECT e.producer, max(e.at) FROM jsonb_to_recordset($1::jsonb) AS e (producer text, at timestamptz)
    GROUP BY e.producer ORDER BY e.producer
    ON CONFLICT (producer) DO UPDATE SET until_at = greatest(h.until_at, excluded.until_at)`;
  await queryRows(db, sql, [JSON.stringify(heartbeats)]);
}

const untilRows = z.tuple([z.object({ until: z.iso.datetime().nullable() })]);

/** Finds the time until which the events of all producers are in; undefined before each has sent a heartbeat. */
export async function findDataUntil(db: Queryable): Promise<string | undefined> {
  const sql = `
    SELECT CASE WHEN count(*) = cardinality($1::text[]) THEN ${formatTimestampSql('min(until_at)')} END AS until
    FROM analytics.producer_heartbeats WHERE producer = ANY($1::text[])`;
  return untilRows.parse(await queryRows(db, sql, [EVENT_PRODUCERS]))[0].until ?? undefined;
}
