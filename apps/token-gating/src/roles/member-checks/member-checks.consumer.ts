import { MINUTE_MS } from '@app/common';
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
/** Delays the retry after a concurrent change of rules or a later evaluation, because another may follow at once. */
const CONFLICT_RETRY_DELAY_MS = 500;
/** Superseded results are not retried after this time: the later evaluations keep the roles up to date. */
const MAX_CONFLICT_RETRY_MS = 10 * MINUTE_MS;

/**
 * Checks members whose wallets or memberships have changed. Idempotent. Undetermined roles are retried like those of an
 * asynchronous check, then left to the next balance check. Retries while the database or identity is unavailable.
 */
@Consumes(memberChecksQueue, { concurrency: CONCURRENCY })
export class MemberChecksConsumer extends Consumer<MemberChecksJob> {
  private readonly draining = new AbortController();

  constructor(
    private readonly members: MemberCheckService,
    private readonly config: AsyncCheckConfig,
    context: ServiceContext,
  ) {
    super();
    // Chain reads may take longer than the shutdown grace period; another instance retries the job.
    context.readiness.onDrain(() => {
      this.draining.abort();
    });
  }

  async handle({ communityId, userIds }: MemberChecksJob, job: Job): Promise<void> {
    await retryWhileUnavailable(job, () => this.check(communityId, userIds, job.timestamp));
  }

  private async check(communityId: string, userIds: readonly string[], enqueuedAtMs: number): Promise<void> {
    const { signal } = this.draining;
    const outcome = await this.members.check(communityId, userIds, signal);
    if (signal.aborted) throw new RetryLaterError(0);
    if (outcome === 'rules_changed') throw new RetryLaterError(CONFLICT_RETRY_DELAY_MS);
    if (outcome === 'superseded' && Date.now() - enqueuedAtMs < MAX_CONFLICT_RETRY_MS)
      throw new RetryLaterError(CONFLICT_RETRY_DELAY_MS);
    if (outcome !== 'undetermined') return;
    const delayMs = calculateReadRetryDelay(new Date(enqueuedAtMs), this.config, Date.now());
    if (delayMs !== undefined) throw new RetryLaterError(delayMs);
  }
}
