import {
  Consumer,
  Consumes,
  handleEach,
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
    const parts = [...new Set(changes.map(({ userId }) => userId))].flatMap((userId) => {
      const ofUser = changes.filter((event) => event.userId === userId);
      return [...new Set(ofUser.map(({ communityId }) => communityId))].map((communityId) => ({
        userId,
        communityId,
        events: ofUser.filter((event) => event.communityId === communityId),
      }));
    });
    await handleEach(parts, (part) => this.fanout.dispatch({ batchId, ...part }));
  }
}
