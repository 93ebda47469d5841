import { type Queryable, queryRows } from '@app/database';
import { z } from 'zod';

/** Notes that events before a time are not all stored any more. @param time in milliseconds since 1970 */
export async function raiseCompleteFrom(db: Queryable, time: number): Promise<void> {
  const sql = 'UPDATE analytics.complete_events SET from_at = $1 WHERE from_at < $1';
  await queryRows(db, sql, [new Date(time).toISOString()]);
}

const times = z.tuple([z.object({ from: z.date() })]);

/** Loads the time from which on all events that were counted are stored. */
export async function loadCompleteFrom(db: Queryable): Promise<Date> {
  return times.parse(await queryRows(db, 'SELECT from_at AS "from" FROM analytics.complete_events'))[0].from;
}
