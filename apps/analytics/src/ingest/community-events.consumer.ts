import {
  communityEventsQueue,
  type CommunityEventsJob,
  Consumer,
  Consumes,
  findHandledUntil,
  InjectProducer,
  Producer,
  retryWhileUnavailable,
} from '@app/queues';
import type { CommunityEvent } from '@app/dto';
import type { Job } from 'bullmq';
import { EventIngestService } from './event-ingest.service.js';

/** Jobs that run at the same time share transactions. */
const CONCURRENCY = 16;

/** Stores community events. They arrive at least once and in any order. */
@Consumes(communityEventsQueue, { concurrency: CONCURRENCY })
export class CommunityEventsConsumer extends Consumer<CommunityEventsJob> {
  constructor(
    private readonly events: EventIngestService,
    @InjectProducer(communityEventsQueue) private readonly queue: Producer<typeof communityEventsQueue>,
  ) {
    super();
  }

  async handle({ events }: CommunityEventsJob, job: Job): Promise<void> {
    await retryWhileUnavailable(job, async () => this.events.ingest(await this.capHeartbeats(events)));
  }

  /** Jobs before that of a heartbeat may be unfinished: another instance handles them, or they are retried. */
  private async capHeartbeats(events: readonly CommunityEvent[]): Promise<CommunityEvent[]> {
    const capped: CommunityEvent[] = [];
    for (const event of events) {
      const isHeartbeat = event.type === 'producer.heartbeat';
      const at = isHeartbeat ? await findHandledUntil(event.at, [this.queue]) : event.at;
      if (at !== undefined) capped.push({ ...event, at });
    }
    return capped;
  }
}
