import {
  communityEventsQueue,
  type CommunityEventsJob,
  Consumer,
  Consumes,
  retryWhileUnavailable,
} from '@app/queues';
import type { Job } from 'bullmq';
import { CommunityEventRepository } from './community-event.repository.js';

/** At most the number of database connections, because each job runs a statement. */
const CONCURRENCY = 4;

/** Stores community events. They arrive at least once and in any order; inserts are idempotent by id. */
@Consumes(communityEventsQueue, { concurrency: CONCURRENCY })
export class CommunityEventsConsumer extends Consumer<CommunityEventsJob> {
  constructor(private readonly events: CommunityEventRepository) {
    super();
  }

  async handle({ events }: CommunityEventsJob, job: Job): Promise<void> {
    await retryWhileUnavailable(job, () => this.events.insertEvents(events));
  }
}
