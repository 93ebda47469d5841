import { AppError } from '@app/common';
import { communityEventsQueue, type CommunityEventsJob, Consumer, Consumes, RetryLater } from '@app/queues';
import { EventStore } from './event-store.js';

/** No more than there are connections: each job is a statement. */
const CONCURRENCY = 4;
const AGAIN_MS = 2_000;

/** Stores what happened in communities. Events come at least once, in any order; their ids tell them apart. */
@Consumes(communityEventsQueue, { concurrency: CONCURRENCY })
export class CommunityEventsConsumer extends Consumer<CommunityEventsJob> {
  constructor(private readonly store: EventStore) {
    super();
  }

  async handle({ events }: CommunityEventsJob): Promise<void> {
    try {
      await this.store.add(events);
    } catch (error) {
      // However long the database is away, no event is lost for that.
      if (error instanceof AppError && error.statusCode === 503) throw new RetryLater(AGAIN_MS);
      throw error;
    }
  }
}
