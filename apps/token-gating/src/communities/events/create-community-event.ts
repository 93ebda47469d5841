import { randomUUID } from 'node:crypto';
import type { CommunityEvent, EventProducer } from '@app/dto';
import { formatTimestampSql } from '@app/database';

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
