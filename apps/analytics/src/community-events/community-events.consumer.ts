import {
  communityEventsQueue,
  type CommunityEventsJob,
  Consumer,
  Consumes,
  retryWhileAway,
} from '@app/queues';
import type { Job } from 'bullmq';
import { EventStore } from './event-store.js';

/** No more than there are connections: each job is a statement. */
const CONCURRENCY = 4;

/** Stores what happened in communities. Events come at least once, in any order; their ids tell them apart. */
@Consumes(communityEventsQueue, { concurrency: CONCURRENCY })
export class CommunityEventsConsumer extends Consumer<CommunityEventsJob> {
  constructor(private readonly store: EventStore) {
    super();
  }

  async handle({ events }: CommunityEventsJob, job: Job): Promise<void> {
    await retryWhileAway(job, () => this.store.add(events));
  }
}
