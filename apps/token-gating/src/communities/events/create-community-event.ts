import { randomUUID } from 'node:crypto';
import type { CommunityEvent } from '@app/dto';
import { formatTimestampSql } from '@app/database';

/** SQL: the database's clock as events carry it. Later than whatever the statement waited for. */
export const EVENT_TIME_SQL = formatTimestampSql('clock_timestamp()');

type WithoutId<E> = E extends CommunityEvent ? Omit<E, 'id'> : never;

/** An event with an id of its own. `at` comes from the database: ISO 8601 in UTC. */
export const createCommunityEvent = (event: WithoutId<CommunityEvent>): CommunityEvent => ({
  ...event,
  id: randomUUID(),
});
