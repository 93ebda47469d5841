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

/** What identity tells of wallets concerns every community that the user is a member of. */
@Consumes(walletEventsQueue, { concurrency: CONCURRENCY })
export class WalletEventsConsumer extends Consumer<WalletEventsJob> {
  constructor(private readonly passOn: WalletEventFanout) {
    super();
  }

  async handle(told: WalletEventsJob, job: Job): Promise<void> {
    await retryWhileUnavailable(job, () => this.tell(told));
  }

  private async tell({ batchId, events }: WalletEventsJob): Promise<void> {
    for (const userId of new Set(events.map((event) => event.userId))) {
      const ofUser = events.filter((event) => event.userId === userId);
      await this.passOn.dispatch({ batchId, userId, events: ofUser });
    }
  }
}
