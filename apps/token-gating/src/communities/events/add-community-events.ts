import type { OutboxService } from '@app/outbox';
import { communityEventsQueue, type CommunityEventsJob } from '@app/queues';
import type { EntityManager } from 'typeorm';

/** The queues that get every community event: one for each service that consumes them. */
export const COMMUNITY_EVENT_QUEUES = [communityEventsQueue] as const;

/** Adds batches of events for each consumer, in the caller's transaction. */
export async function addCommunityEvents(
  outbox: OutboxService,
  manager: EntityManager,
  batches: readonly CommunityEventsJob[],
): Promise<void> {
  for (const queue of COMMUNITY_EVENT_QUEUES) await outbox.add(manager, queue, batches);
}
