import { DAY_MS } from '@app/common';
import { Database } from '@app/database';
import { type CommunityStateRequest, MAX_MEMBERS_PER_STATE } from '@app/dto';
import { ServiceContext, Sweeper } from '@app/service';
import { Injectable } from '@nestjs/common';
import { Counter } from 'prom-client';
import { TokenGatingClient } from '../clients/token-gating-client.js';
import { AnalyticsConfig } from '../ingest/analytics.config.js';
import { ingestEvents } from '../ingest/ingest-events.js';
import { findDataUntil } from '../ingest/producer-heartbeats.queries.js';
import { lockKnownCommunity } from '../rollups/communities.queries.js';
import type { RepairEvent } from '../rollups/repair-event.js';
import { findRepairs, type ObservedStates, SETTLE_SECONDS } from './find-repairs.js';
import { claimCommunity, findStates, listUsersWithStates } from './reconciliation.queries.js';

@Injectable()
export class ReconciliationMetrics {
  private readonly repairs: Counter<'type'>;
  private readonly communities: Counter;

  constructor({ metrics }: ServiceContext) {
    const registers = [metrics.registry];
    this.repairs = new Counter({
      name: 'analytics_repairs_total',
      help: 'States of members that reconciliation with token-gating began or ended, by event type.',
      labelNames: ['type'] as const,
      registers,
    });
    this.communities = new Counter({
      name: 'analytics_communities_compared_total',
      help: 'Communities whose members were all compared with token-gating.',
      registers,
    });
  }

  recordRepairs(repairs: readonly RepairEvent[]): void {
    for (const { type } of repairs) this.repairs.inc({ type });
  }

  recordCommunity(): void {
    this.communities.inc();
  }
}

/** Repairs the history of some users of a community by what token-gating says. */
@Injectable()
export class RepairService {
  private readonly retentionMs: number;

  constructor(
    private readonly database: Database,
    { ANALYTICS_RETENTION_DAYS }: AnalyticsConfig,
    private readonly metrics: ReconciliationMetrics,
  ) {
    this.retentionMs = ANALYTICS_RETENTION_DAYS * DAY_MS;
  }

  /** Does nothing for a community that is deleted. The events until the time of what was observed must be in. */
  async repair(observed: ObservedStates): Promise<void> {
    const repairs = await this.database.transaction(async (manager) => {
      if (!(await lockKnownCommunity(manager, observed.communityId))) return [];
      const found = findRepairs(observed, await findStates(manager, observed, SETTLE_SECONDS));
      await ingestEvents(manager, found, { retentionMs: this.retentionMs });
      return found;
    });
    this.metrics.recordRepairs(repairs);
  }
}

const SWEEP_INTERVAL_MS = 5_000;
/** States that wait in memory until data is in. Bounds also what one instance asks of token-gating in a minute. */
const MAX_WAITING = 20;
/**
 * The rest of a community is left to the next day after so many failures in a row, so that it does not keep others
 * waiting.
 */
const MAX_FAILURES = 20;

/**
 * The position of a comparison in the users of a community: first the members that token-gating has, then those that
 * analytics has.
 */
interface Walk {
  readonly communityId: string;
  readonly side: 'token-gating' | 'analytics';
  readonly after: string;
}

/**
 * Compares each community with token-gating once a day, a page of users at a time. Token-gating names the time of its answer,
 * and the page waits until the events until then are in. An instance that ends leaves the rest to the next day.
 */
@Injectable()
export class ReconciliationSweeper extends Sweeper {
  private walk: Walk | undefined;
  private waiting: ObservedStates[] = [];
  /** Failed attempts in a row. */
  private failures = 0;
  private readonly logger: ServiceContext['logger'];

  constructor(
    context: ServiceContext,
    private readonly database: Database,
    private readonly tokenGating: TokenGatingClient,
    private readonly repairs: RepairService,
    private readonly metrics: ReconciliationMetrics,
  ) {
    super(context, [{ name: 'reconcile communities', sweep: () => this.reconcile() }], SWEEP_INTERVAL_MS);
    this.logger = context.logger;
  }

  private async reconcile(): Promise<boolean> {
    await this.repairDue();
    if (this.waiting.length >= MAX_WAITING) return false;
    this.walk ??= await this.claim();
    if (!this.walk) return false;
    this.walk = await this.stepOrGiveUp(this.walk);
    return true;
  }

  private async repairDue(): Promise<void> {
    const until = await findDataUntil(this.database);
    if (until === undefined) return;
    const isDue = ({ at }: ObservedStates): boolean => Date.parse(at) < Date.parse(until);
    for (const observed of this.waiting.filter(isDue)) {
      // A page that fails is left to the next day: kept, it would come first again and hold up all others.
      this.waiting = this.waiting.filter((one) => one !== observed);
      await this.repairs.repair(observed).catch((error: unknown) => {
        const { communityId } = observed;
        this.logger.warn(
          { err: error, communityId },
          'a page of a community is not repaired before tomorrow',
        );
      });
    }
  }

  private async claim(): Promise<Walk | undefined> {
    const communityId = await claimCommunity(this.database);
    return communityId === undefined ? undefined : { communityId, side: 'token-gating', after: '' };
  }

  private async stepOrGiveUp(walk: Walk): Promise<Walk | undefined> {
    try {
      const rest = await this.step(walk);
      this.failures = 0;
      return rest;
    } catch (error) {
      this.failures += 1;
      if (this.failures % MAX_FAILURES === 0) this.walk = undefined;
      throw error;
    }
  }

  /** @returns the rest of the walk; undefined at its end */
  private async step({ communityId, side, after }: Walk): Promise<Walk | undefined> {
    if (side === 'token-gating') {
      const page = await this.observe({ communityId, ...(after === '' ? {} : { afterUserId: after }) });
      if (!page) return undefined;
      if (!page.hasMore) return { communityId, side: 'analytics', after: '' };
      return { communityId, side, after: page.members.at(-1)?.userId ?? '' };
    }
    const userIds = await listUsersWithStates(this.database, communityId, after, MAX_MEMBERS_PER_STATE);
    const last = userIds.at(-1);
    if (last === undefined || !(await this.observe({ communityId, userIds }))) {
      this.metrics.recordCommunity();
      return undefined;
    }
    return { communityId, side, after: last };
  }

  /** @returns undefined for a community that is deleted, whose event is on the way */
  private async observe(request: CommunityStateRequest) {
    const state = await this.tokenGating.loadCommunityState(request);
    if (state.outcome !== 'found') return undefined;
    const { at, members } = state;
    const userIds = request.userIds ?? members.map(({ userId }) => userId);
    if (userIds.length > 0) this.waiting.push({ communityId: request.communityId, at, userIds, members });
    return state;
  }
}
