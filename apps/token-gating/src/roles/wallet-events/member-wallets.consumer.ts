import {
  Consumer,
  Consumes,
  handleTogether,
  type MemberWalletsJob,
  memberWalletsQueue,
  retryWhileUnavailable,
} from '@app/queues';
import type { Job } from 'bullmq';
import { MemberWalletsService } from './member-wallets.service.js';

const CONCURRENCY = 4;

/** Publishes the wallets of users who joined or left a community. Retries while the database or identity is unavailable. */
@Consumes(memberWalletsQueue, { concurrency: CONCURRENCY })
export class MemberWalletsConsumer extends Consumer<MemberWalletsJob> {
  constructor(private readonly wallets: MemberWalletsService) {
    super();
  }

  async handle({ communityId, memberships }: MemberWalletsJob, job: Job): Promise<void> {
    await retryWhileUnavailable(job, () =>
      handleTogether(memberships, (some) => this.wallets.publish(communityId, some)),
    );
  }
}
