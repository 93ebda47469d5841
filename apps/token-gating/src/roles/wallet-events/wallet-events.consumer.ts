import {
  Consumer,
  Consumes,
  retryWhileUnavailable,
  walletEventsQueue,
  type WalletEventsJob,
} from '@app/queues';
import type { Job } from 'bullmq';
import { isWalletLinkEvent, WalletEventFanout } from './wallet-event-fanout.js';

const CONCURRENCY = 4;

/** Consumes wallet events of identity, and fans changes of wallets out to the communities of each user. */
@Consumes(walletEventsQueue, { concurrency: CONCURRENCY })
export class WalletEventsConsumer extends Consumer<WalletEventsJob> {
  constructor(private readonly fanout: WalletEventFanout) {
    super();
  }

  async handle(payload: WalletEventsJob, job: Job): Promise<void> {
    await retryWhileUnavailable(job, () => this.dispatch(payload));
  }

  private async dispatch({ batchId, events }: WalletEventsJob): Promise<void> {
    const changes = events.filter(isWalletLinkEvent);
    for (const userId of new Set(changes.map((event) => event.userId))) {
      const userEvents = changes.filter((event) => event.userId === userId);
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
