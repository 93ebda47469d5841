import {
  communityEventsQueue,
  type CommunityEventsJob,
  Consumer,
  Consumes,
  retryWhileUnavailable,
} from '@app/queues';
import type { Job } from 'bullmq';
import { EventIngestService } from './event-ingest.service.js';

/** At most the number of database connections, because each job runs a transaction. */
const CONCURRENCY = 4;

/** Stores community events. They arrive at least once and in any order. */
@Consumes(communityEventsQueue, { concurrency: CONCURRENCY })
export class CommunityEventsConsumer extends Consumer<CommunityEventsJob> {
  constructor(private readonly events: EventIngestService) {
    super();
  }

  async handle({ events }: CommunityEventsJob, job: Job): Promise<void> {
    await retryWhileUnavailable(job, () => this.events.ingest(events));
  }
}
