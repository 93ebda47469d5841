import type { CommunityEventsJob } from '@app/queues';
import { randomUUID } from 'node:crypto';
import { type CommunityEvent, type EventProducer, MAX_EVENTS_PER_BATCH } from '@app/dto';
import { formatTimestampSql, type Queryable, queryRows } from '@app/database';
import { z } from 'zod';
import { createNameBasedUuid } from '../../callbacks/delivery.js';

/** SQL for the time of an event. clock_timestamp, unlike now(), is later than the locks that the statement waited for. */
export const EVENT_TIME_SQL = formatTimestampSql('clock_timestamp()');

type WithoutId<E> = E extends CommunityEvent ? Omit<E, 'id'> : never;

/** Adds a random id. `at` must be database time, see EVENT_TIME_SQL. */
export const createCommunityEvent = (event: WithoutId<CommunityEvent>): CommunityEvent => ({
  ...event,
  id: randomUUID(),
});

/** @param at until when the events of the producer are on their way */
export const createHeartbeat = (producer: EventProducer, at: string): CommunityEvent =>
  createCommunityEvent({ type: 'producer.heartbeat', at, producer });

/** @param id of the event of identity, so that a repeated job publishes the same event */
export const createErasure = (id: string, at: string, userId: string): CommunityEvent => ({
  ...{ id: createNameBasedUuid('user erased', id), type: 'user.erased', at, userId },
});

const times = z.tuple([z.object({ at: z.string() })]);

/** The database's time. */
export async function loadEventTime(db: Queryable): Promise<string> {
  return times.parse(await queryRows(db, `SELECT ${EVENT_TIME_SQL} AS at`))[0].at;
}

/** The id of a batch is derived from its events, so that a repeated job is one job. For events whose ids are derived, too. */
export const toEventBatches = (events: readonly CommunityEvent[]): CommunityEventsJob[] =>
  Array.from({ length: Math.ceil(events.length / MAX_EVENTS_PER_BATCH) }, (_, batch) => {
    const batchEvents = events.slice(batch * MAX_EVENTS_PER_BATCH, (batch + 1) * MAX_EVENTS_PER_BATCH);
    return {
      version: 1 as const,
      batchId: createNameBasedUuid('batch', ...batchEvents.map(({ id, at }) => `${id} ${at}`)),
      events: batchEvents,
    };
  });
