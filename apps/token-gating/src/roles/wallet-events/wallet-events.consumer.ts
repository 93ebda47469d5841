import { Database } from '@app/database';
import {
  Consumer,
  Consumes,
  handleEach,
  retryWhileUnavailable,
  walletEventsQueue,
  type WalletEventsJob,
} from '@app/queues';
import type { Job } from 'bullmq';
import { revokeCredentials } from '../../credential-revocations/revoke-credentials.js';
import { isWalletLinkEvent, WalletEventFanout, type WalletLinkEvent } from './wallet-event-fanout.js';

const CONCURRENCY = 4;

/** Consumes wallet events of identity, and fans changes of wallets out to the communities of each user. */
@Consumes(walletEventsQueue, { concurrency: CONCURRENCY })
export class WalletEventsConsumer extends Consumer<WalletEventsJob> {
  constructor(
    private readonly database: Database,
    private readonly fanout: WalletEventFanout,
  ) {
    super();
  }

  async handle(payload: WalletEventsJob, job: Job): Promise<void> {
    await retryWhileUnavailable(job, () => this.dispatch(payload));
  }

  private async dispatch({ batchId, events }: WalletEventsJob): Promise<void> {
    const changes = events.filter(isWalletLinkEvent);
    await this.revokeCredentials(changes);
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

  /** Credentials name wallets that count everywhere. A wallet that was linked again gets no credential back. */
  private async revokeCredentials(changes: readonly WalletLinkEvent[]): Promise<void> {
    for (const { type, userId, communityId, accountId, at } of changes) {
      if (type !== 'wallet.unlinked' || communityId !== undefined) continue;
      await revokeCredentials(this.database, userId, { accountId, before: at });
    }
  }
}
