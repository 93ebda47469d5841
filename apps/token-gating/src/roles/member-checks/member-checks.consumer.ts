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
import { Database } from '@app/database';
import { type RoleRule, storedRoleRules } from '@app/dto';
import { Injectable } from '@nestjs/common';
import { IdentityClient } from '../../clients/identity-client.js';
import {
  loadMembersToCheck,
  type MembersToCheck,
} from '../../communities/members/community-members.queries.js';
import { AnnouncedEvaluationsService } from '../assignments/announced-evaluations.js';
import { RoleAssignmentsService } from '../assignments/role-assignments.service.js';
import { computeMemberBatchSize } from '../assignments/to-assignment-batches.js';
import { loadMemberWallets } from '../evaluation/load-member-wallets.js';
import { MemberEvaluationService } from '../evaluation/member-evaluation.service.js';
import { hasRetryableRole } from '../evaluation/member-verdicts.js';
import { TenantBulkhead } from '../tenant-bulkhead.js';
import { MemberAccountsService } from '../transfers/member-accounts.service.js';

/**
 * - `done`: every role is stored, or none of the users is a member
 * - `undetermined`: some roles are undetermined, and a retry may determine them
 * - `rules_changed`: nothing more is stored, because the rules have changed
 * - `superseded`: some results are not stored, because those of a later evaluation are, which may have determined fewer roles
 */
type MemberCheckOutcome = 'done' | 'undetermined' | 'rules_changed' | 'superseded';

interface CheckJob {
  readonly id: string;
  readonly signal: AbortSignal;
}

/** A quarter of the jobs that the consumer runs at once. */
const MAX_CHECKS_PER_TENANT = 2;

/** Outcomes from best to worst; the worst outcome of all batches decides when to retry. */
const OUTCOMES: readonly MemberCheckOutcome[] = ['done', 'undetermined', 'superseded', 'rules_changed'];

/** Evaluates and stores the roles of some members of a community. */
@Injectable()
export class MemberCheckService {
  private readonly bulkhead = new TenantBulkhead(MAX_CHECKS_PER_TENANT);

  constructor(
    private readonly database: Database,
    private readonly identity: IdentityClient,
    private readonly evaluation: MemberEvaluationService,
    private readonly announcements: AnnouncedEvaluationsService,
    private readonly assignments: RoleAssignmentsService,
    private readonly accounts: MemberAccountsService,
    private readonly context: ServiceContext,
  ) {}

  /**
   * Checks the members in batches that one statement can store.
   * @throws RetryLaterError while as many checks of the same tenant run as one tenant may have
   * @param job the id of the member check, with a signal that makes reads that are not finished when it aborts undetermined
   * @throws AppError 503 while the database or identity is unavailable
   */
  async check(communityId: string, userIds: readonly string[], job: CheckJob): Promise<MemberCheckOutcome> {
    const outcome = await this.bulkhead.run(
      communityId,
      () => loadMembersToCheck(this.database, communityId, userIds),
      (first) => this.checkAll(communityId, first, job),
    );
    return outcome ?? 'done';
  }

  private async checkAll(
    communityId: string,
    first: MembersToCheck,
    job: CheckJob,
  ): Promise<MemberCheckOutcome> {
    let worst: MemberCheckOutcome = 'done';
    for (let loaded: MembersToCheck | undefined = first; loaded;) {
      const rules = this.parseRules(communityId, loaded);
      if (!rules) return worst;
      const batch = loaded.userIds.slice(0, computeMemberBatchSize(rules));
      const remaining: readonly string[] = loaded.userIds.slice(batch.length);
      const outcome = await this.checkBatch(communityId, { ...loaded, userIds: batch }, rules, job);
      if (OUTCOMES.indexOf(outcome) > OUTCOMES.indexOf(worst)) worst = outcome;
      if (remaining.length === 0 || worst === 'rules_changed' || job.signal.aborted) return worst;
      loaded = await loadMembersToCheck(this.database, communityId, remaining);
    }
    return worst;
  }

  private async checkBatch(
    communityId: string,
    { ownerId, isWithoutApplication, userIds, rulesRevision }: MembersToCheck,
    rules: readonly RoleRule[],
    { id: jobId, signal }: CheckJob,
  ): Promise<MemberCheckOutcome> {
    if (userIds.length === 0) return 'done';
    return this.announcements.run(communityId, userIds, async (announcement) => {
      const members = await loadMemberWallets(communityId, userIds, this.identity);
      const lane = isWithoutApplication ? 'limited' : 'background';
      const options = { communityId, tenantId: ownerId, lane, signal } as const;
      const verdicts = await this.evaluation.evaluate(rules, members, options);
      const accounts = this.accounts.hash(rules, members);
      const evaluation = { communityId, rulesRevision, ...announcement, verdicts, accounts };
      const stored = await this.database.transaction((manager) =>
        this.assignments.store(manager, evaluation),
      );
      if (stored.outcome === 'rules_changed') return 'rules_changed';
      if (stored.superseded.length > 0) return 'superseded';
      if (verdicts.some(hasRetryableRole)) return 'undetermined';
      await this.accounts.endChecks(this.database, rules, { jobId, communityId, userIds });
      return 'done';
    });
  }

  /** @returns undefined for rules that another version has stored and this one cannot parse: the roles stay unchanged */
  private parseRules(communityId: string, { rules }: MembersToCheck): readonly RoleRule[] | undefined {
    const { data, error } = storedRoleRules.safeParse(rules);
    if (error) this.context.logger.error({ communityId, err: error }, 'stored rules cannot be parsed');
    return data;
  }
}

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

  async handle(payload: MemberChecksJob, job: Job): Promise<void> {
    await retryWhileUnavailable(job, () => this.check(payload, job.timestamp));
  }

  private async check({ id, communityId, userIds }: MemberChecksJob, enqueuedAtMs: number): Promise<void> {
    const { signal } = this.draining;
    const outcome = await this.members.check(communityId, userIds, { id, signal });
    if (signal.aborted) throw new RetryLaterError(0);
    if (outcome === 'rules_changed') throw new RetryLaterError(CONFLICT_RETRY_DELAY_MS);
    if (outcome === 'superseded' && Date.now() - enqueuedAtMs < MAX_CONFLICT_RETRY_MS)
      throw new RetryLaterError(CONFLICT_RETRY_DELAY_MS);
    if (outcome !== 'undetermined') return;
    const delayMs = calculateReadRetryDelay(new Date(enqueuedAtMs), this.config, Date.now());
    if (delayMs !== undefined) throw new RetryLaterError(delayMs);
  }
}
