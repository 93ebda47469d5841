import {
  communityEventsQueue,
  type CommunityEventsJob,
  Consumer,
  Consumes,
  retryWhileUnavailable,
} from '@app/queues';
import type { Job } from 'bullmq';
import { CommunityEventRepository } from './community-event.repository.js';

/** No more than there are connections: each job is a statement. */
const CONCURRENCY = 4;

/** Stores what happened in communities. Events come at least once, in any order; their ids tell them apart. */
@Consumes(communityEventsQueue, { concurrency: CONCURRENCY })
export class CommunityEventsConsumer extends Consumer<CommunityEventsJob> {
  constructor(private readonly store: CommunityEventRepository) {
    super();
  }

  async handle({ events }: CommunityEventsJob, job: Job): Promise<void> {
    await retryWhileUnavailable(job, () => this.store.insertEvents(events));
  }
}
