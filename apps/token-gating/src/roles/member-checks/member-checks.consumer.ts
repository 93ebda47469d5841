import {
  Consumer,
  Consumes,
  memberChecksQueue,
  type MemberChecksJob,
  RetryLaterError,
  retryWhileUnavailable,
} from '@app/queues';
import { ServiceContext } from '@app/service';
import type { Job } from 'bullmq';
import { AsyncCheckConfig } from '../../checks/async/async-check.config.js';
import { calculateReadRetryDelay } from '../../checks/async/calculate-read-retry-delay.js';
import { MemberCheckService } from './member-check.service.js';

const CONCURRENCY = 8;
/** Whoever changes rules may change more of them, and whoever asks for a member's roles may ask again. */
const CONFLICT_RETRY_DELAY_MS = 500;
/** Others who evaluate the same members all the time see to them by themselves. */
const MAX_CONFLICT_RETRY_MS = 10 * 60 * 1_000;

/**
 * Evaluates members whose wallets or membership changed. Twice does no harm. What cannot be told is asked again for a
 * while, as for an asynchronous check; after that it is left to the next balance check. A database or identity that is away
 * is waited for.
 */
@Consumes(memberChecksQueue, { concurrency: CONCURRENCY })
export class MemberChecksConsumer extends Consumer<MemberChecksJob> {
  private readonly leaving = new AbortController();

  constructor(
    private readonly members: MemberCheckService,
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
    await retryWhileUnavailable(job, () => this.check(communityId, userIds, job.timestamp));
  }

  private async check(communityId: string, userIds: readonly string[], toldAt: number): Promise<void> {
    const { signal } = this.leaving;
    const checked = await this.members.check(communityId, userIds, signal);
    if (signal.aborted) throw new RetryLaterError(0);
    if (checked === 'rules_changed') throw new RetryLaterError(CONFLICT_RETRY_DELAY_MS);
    if (checked === 'overtaken' && Date.now() - toldAt < MAX_CONFLICT_RETRY_MS)
      throw new RetryLaterError(CONFLICT_RETRY_DELAY_MS);
    if (checked !== 'undetermined') return;
    const delayMs = calculateReadRetryDelay({ createdAt: new Date(toldAt) }, this.config, Date.now());
    if (delayMs !== undefined) throw new RetryLaterError(delayMs);
  }
}
