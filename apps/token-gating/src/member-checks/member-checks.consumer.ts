import {
  Consumer,
  Consumes,
  memberChecksQueue,
  type MemberChecksJob,
  RetryLater,
  retryWhileAway,
} from '@app/queues';
import { ServiceContext } from '@app/service';
import type { Job } from 'bullmq';
import { AsyncCheckConfig } from '../async-checks/async-check.config.js';
import { rereadDelay } from '../async-checks/reread-delay.js';
import { CheckMembers } from './check-members.js';

const CONCURRENCY = 8;
/** Whoever changes rules may change more of them, and whoever asks for a member's roles may ask again. */
const OTHERS_MS = 500;
/** Others who evaluate the same members all the time see to them by themselves. */
const OVERTAKEN_FOR_MS = 10 * 60 * 1_000;

/**
 * Evaluates members whose wallets or membership changed. Twice does no harm. What cannot be told is asked again for a
 * while, as for an asynchronous check; after that it is left to the next balance check. A database or identity that is away
 * is waited for.
 */
@Consumes(memberChecksQueue, { concurrency: CONCURRENCY })
export class MemberChecksConsumer extends Consumer<MemberChecksJob> {
  private readonly leaving = new AbortController();

  constructor(
    private readonly members: CheckMembers,
    private readonly config: AsyncCheckConfig,
    context: ServiceContext,
  ) {
    super();
    // Reading takes longer than an app that is told to end may: another instance checks anew.
    context.readiness.onDrain(() => {
      this.leaving.abort();
    });
  }

  async handle({ communityId, userIds }: MemberChecksJob, job: Job): Promise<void> {
    await retryWhileAway(job, () => this.check(communityId, userIds, job.timestamp));
  }

  private async check(communityId: string, userIds: readonly string[], toldAt: number): Promise<void> {
    const { signal } = this.leaving;
    const checked = await this.members.check(communityId, userIds, signal);
    if (signal.aborted) throw new RetryLater(0);
    if (checked === 'rules_changed') throw new RetryLater(OTHERS_MS);
    if (checked === 'overtaken' && Date.now() - toldAt < OVERTAKEN_FOR_MS) throw new RetryLater(OTHERS_MS);
    if (checked !== 'undetermined') return;
    const delayMs = rereadDelay({ createdAt: new Date(toldAt) }, this.config, Date.now());
    if (delayMs !== undefined) throw new RetryLater(delayMs);
  }
}
