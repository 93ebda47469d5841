import { tryTogether } from '@app/common';
import { Database } from '@app/database';
import { findBestPlan, type PlanName } from '@app/dto';
import { balanceChecksQueue, InjectProducer, type Producer, QueueBackendMonitor } from '@app/queues';
import { ServiceContext, Sweeper } from '@app/service';
import { Injectable } from '@nestjs/common';
import { IdentityClient } from '../../../clients/identity-client.js';
import {
  clearWithoutApplication,
  scheduleChecksEarlier,
} from '../../../communities/access/communities.queries.js';
import { isApprovedForRules } from '../../../communities/client-applications/attached-client-plans.service.js';
import { MAX_SWEEP_ROWS, SweepConfig } from '../../../database/sweep.config.js';
import { BalanceCheckConfig } from '../balance-check.config.js';
import {
  claimDueChecks,
  claimDueCommunities,
  deleteOldChecks,
  type DueCommunity,
} from '../balance-checks.queries.js';

interface GroupPlan {
  readonly plan: PlanName;
  /** Whether one of the client applications is approved for token gating. */
  readonly isApproved: boolean;
}

const NO_PLAN = { plan: 'free', isApproved: false } as const;

/** Loads the best plan of groups of client applications. Unknown applications count as free. */
@Injectable()
export class ClientPlansService {
  constructor(
    private readonly identity: IdentityClient,
    private readonly context: ServiceContext,
  ) {}

  /**
   * @param groups at most 500 client applications in total
   * @returns one plan per group, in order; undefined where a plan cannot be loaded
   */
  async loadBestPlans(groups: readonly (readonly string[])[]): Promise<(GroupPlan | undefined)[]> {
    const clientIds = [...new Set(groups.flat())];
    const plans = new Map<string, GroupPlan>();
    const failed = new Set<string>();
    const fail = (ids: readonly string[], error: unknown): void => {
      for (const id of ids) failed.add(id);
      this.context.logger.warn(
        { err: error, clientIds: ids },
        'could not load plans; scheduling balance checks at the shortest interval',
      );
    };
    try {
      const items = await tryTogether(clientIds, async (some) => {
        const loaded = await this.identity.fetchClientPlans([...some]);
        for (const { clientId, plan, scopes } of loaded.plans)
          plans.set(clientId, { plan, isApproved: isApprovedForRules({ scopes }) });
      });
      for (const { item, error } of items) fail([item], error);
    } catch (error) {
      fail(
        clientIds.filter((id) => !plans.has(id)),
        error,
      );
    }
    return groups.map((group) => {
      if (group.some((id) => failed.has(id))) return undefined;
      const found = group.map((id) => plans.get(id) ?? NO_PLAN);
      return {
        plan: findBestPlan(found.map(({ plan }) => plan)),
        isApproved: found.some(({ isApproved }) => isApproved),
      };
    });
  }
}

/** Fits one request to identity for their plans: a community has at most 20 client applications. */
const MAX_COMMUNITIES = 20;

/** Starts checks of due communities, enqueues turns whose jobs are lost, and deletes old checks. */
@Injectable()
export class BalanceCheckSweeper extends Sweeper {
  constructor(
    context: ServiceContext,
    private readonly config: BalanceCheckConfig,
    private readonly sweepConfig: SweepConfig,
    private readonly database: Database,
    private readonly plans: ClientPlansService,
    private readonly backend: QueueBackendMonitor,
    @InjectProducer(balanceChecksQueue) private readonly producer: Producer<typeof balanceChecksQueue>,
  ) {
    const tasks = [
      { name: 'schedule balance checks', sweep: () => this.scheduleDueCommunities() },
      { name: 'enqueue due balance checks', sweep: () => this.enqueueDueChecks() },
      { name: 'delete old balance checks', sweep: () => this.deleteOldChecks() },
    ];
    super(context, tasks, sweepConfig.SWEEP_INTERVAL_MS);
  }

  /** Starts the checks of due communities, and schedules their next ones by plan. */
  private async scheduleDueCommunities(): Promise<boolean> {
    if (!this.backend.isAvailable) return false; // the communities stay due
    const { BALANCE_CHECK_INTERVALS_MS, BALANCE_CHECK_COOLDOWN_MS } = this.config;
    // Claims with the longest interval; applyPlanIntervals shortens it once the plans are known.
    const communities = await claimDueCommunities(this.database, {
      limit: MAX_COMMUNITIES,
      intervalMs: BALANCE_CHECK_INTERVALS_MS.free,
      leaseMs: this.sweepConfig.SWEEP_AFTER_MS,
      cooldownMs: BALANCE_CHECK_COOLDOWN_MS,
    });
    await this.applyPlanIntervals(communities);
    const checkIds = communities.flatMap(({ checkId }) => checkId ?? []);
    await this.producer.enqueueMany(checkIds.map((checkId) => ({ version: 1, checkId, turn: 0 })));
    return communities.length === MAX_COMMUNITIES;
  }

  private async applyPlanIntervals(communities: readonly DueCommunity[]): Promise<void> {
    const intervals = this.config.BALANCE_CHECK_INTERVALS_MS;
    const plans = await this.plans.loadBestPlans(communities.map(({ clientIds }) => clientIds));
    const shortestMs = Math.min(...Object.values(intervals));
    const delays = communities.flatMap(({ id, isWithoutApplication }, index) => {
      const group = plans[index];
      if (isWithoutApplication && group?.isApproved !== true) return [];
      // An unknown plan gets the shortest interval: an extra check is cheaper than a day without one.
      const delayMs = group ? intervals[group.plan] : shortestMs;
      return isWithoutApplication || delayMs < intervals.free ? [{ id, delayMs }] : [];
    });
    await scheduleChecksEarlier(this.database, delays);
    await this.clearApproved(communities, plans);
  }

  /** A client application that was attached before its approval stands for the rules from now on. */
  private async clearApproved(
    communities: readonly DueCommunity[],
    plans: readonly (GroupPlan | undefined)[],
  ): Promise<void> {
    const approved = communities.filter(
      ({ isWithoutApplication }, index) => isWithoutApplication && plans[index]?.isApproved === true,
    );
    await clearWithoutApplication(
      this.database,
      approved.map(({ id }) => id),
    );
  }

  /** The job id contains the turn, so a job that still exists is not doubled. */
  private async enqueueDueChecks(): Promise<boolean> {
    if (!this.backend.isAvailable) return false;
    const checks = await claimDueChecks(this.database, this.sweepConfig.SWEEP_AFTER_MS, MAX_SWEEP_ROWS);
    const jobs = checks.map(({ id, turn }) => ({ version: 1 as const, checkId: id, turn }));
    await this.producer.enqueueMany(jobs, { replaceExisting: true });
    return checks.length === MAX_SWEEP_ROWS;
  }

  private async deleteOldChecks(): Promise<boolean> {
    const { BALANCE_CHECK_RETENTION_MS } = this.config;
    const deleted = await deleteOldChecks(this.database, BALANCE_CHECK_RETENTION_MS, MAX_SWEEP_ROWS);
    return deleted === MAX_SWEEP_ROWS;
  }
}
