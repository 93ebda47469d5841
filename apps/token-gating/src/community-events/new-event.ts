import { randomUUID } from 'node:crypto';
import type { CommunityEvent } from '@app/dto';

type WithoutId<E> = E extends CommunityEvent ? Omit<E, 'id'> : never;

/** An event with an id of its own. `at` comes from the database: ISO 8601 in UTC. */
export const newEvent = (event: WithoutId<CommunityEvent>): CommunityEvent => ({
  ...event,
  id: randomUUID(),
});
