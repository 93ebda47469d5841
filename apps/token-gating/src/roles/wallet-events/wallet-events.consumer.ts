import {
  Consumer,
  Consumes,
  retryWhileUnavailable,
  walletEventsQueue,
  type WalletEventsJob,
} from '@app/queues';
import type { Job } from 'bullmq';
import { WalletEventFanout } from './wallet-event-fanout.js';

const CONCURRENCY = 4;

/** Consumes wallet events of identity, and fans them out to the communities of each user. */
@Consumes(walletEventsQueue, { concurrency: CONCURRENCY })
export class WalletEventsConsumer extends Consumer<WalletEventsJob> {
  constructor(private readonly fanout: WalletEventFanout) {
    super();
  }

  async handle(payload: WalletEventsJob, job: Job): Promise<void> {
    await retryWhileUnavailable(job, () => this.dispatch(payload));
  }

  private async dispatch({ batchId, events }: WalletEventsJob): Promise<void> {
    for (const userId of new Set(events.map((event) => event.userId))) {
      const userEvents = events.filter((event) => event.userId === userId);
      for (const communityId of new Set(userEvents.map((event) => event.communityId)))
        await this.fanout.dispatch({
          batchId,
          userId,
          communityId,
          events: userEvents.filter((event) => event.communityId === communityId),
        });
    }
  }
}
