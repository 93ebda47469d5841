import { MINUTE_MS, SECOND_MS, boundEntries } from '@app/common';
import type { UserPlan, UserUsageOutcome, UserUsageRequest } from '@app/dto';
import { RateLimiter, type WindowResult } from '@app/limits';
import { Injectable } from '@nestjs/common';
import { LRUCache } from 'lru-cache';
import { plansUnavailable } from '../credentials/credentials.errors.js';
import { IdentityClient } from '../credentials/identity-client.js';

/**
 * The share is nobody's: the users who were counted longest ago are forgotten, and their plans loaded again. A plan that changed holds for
 * requests in the portal after a minute.
 */
const MAX_KNOWN_USERS = 10_000;
const KNOWN_TTL_MS = MINUTE_MS;

/**
 * Counts what users do in the portal on their tenants, as requests of their client applications count: in the second and in the month. Who
 * has no client application has the free plan. Unlike queued work somebody waits for it, so the limit per second applies.
 */
@Injectable()
export class UserUsageService {
  private readonly known = new LRUCache<string, UserPlan>({
    ...boundEntries(MAX_KNOWN_USERS),
    ttl: KNOWN_TTL_MS,
  });

  constructor(
    private readonly identity: IdentityClient,
    private readonly rateLimiter: RateLimiter,
  ) {}

  /**
   * Counts requests. The outcomes are in the order of the requests. One that counts as several in the month is refused where the month has
   * not enough left, and uses that up. @throws AppError 503 while identity is unavailable
   */
  async countRequests(requests: UserUsageRequest['requests']): Promise<UserUsageOutcome[]> {
    const plans = await this.loadPlans([...new Set(requests.map(({ userId }) => userId))]);
    const planned = requests.map(({ userId, count }) => {
      const plan = plans.get(userId);
      if (!plan) throw plansUnavailable(new Error('identity answered without a plan'));
      return { plan, count };
    });
    // Requests of a tenant are counted in turn: of several requests of one user the first are admitted.
    const turns = new Map<string, Promise<UserUsageOutcome>>();
    return Promise.all(
      planned.map(async ({ plan, count }) => {
        const before = turns.get(plan.tenantId);
        const counted = (async () => {
          await before;
          return this.countRequest(plan, count);
        })();
        turns.set(plan.tenantId, counted);
        return counted;
      }),
    );
  }

  private async countRequest({ tenantId, limits }: UserPlan, count: number): Promise<UserUsageOutcome> {
    const { second, month } = await this.rateLimiter.take(tenantId, limits);
    if (!second.admitted) return toRefusal('second_used_up', second);
    if (!month.admitted) return toRefusal('month_used_up', month);
    // The store takes them as one batch: a trial of many addresses waits for it once.
    const more = await Promise.all(
      Array.from({ length: count - 1 }, async () => this.rateLimiter.takeMonthly(tenantId, limits.perMonth)),
    );
    const refused = more.find(({ admitted }) => !admitted);
    return refused ? toRefusal('month_used_up', refused) : { outcome: 'counted' };
  }

  private async loadPlans(userIds: readonly string[]): Promise<ReadonlyMap<string, UserPlan>> {
    const found = new Map<string, UserPlan>();
    for (const userId of userIds) {
      const plan = this.known.get(userId);
      if (plan) found.set(userId, plan);
    }
    const missing = userIds.filter((userId) => !found.has(userId));
    if (missing.length === 0) return found;
    const { plans } = await this.identity.loadUserPlans(missing).catch((error: unknown) => {
      throw plansUnavailable(error);
    });
    for (const plan of plans) {
      this.known.set(plan.userId, plan);
      found.set(plan.userId, plan);
    }
    return found;
  }
}

const toRefusal = (
  outcome: 'second_used_up' | 'month_used_up',
  { limit, resetMs }: WindowResult,
): UserUsageOutcome => ({
  outcome,
  limit,
  retryAfter: Math.max(1, Math.ceil((resetMs - Date.now()) / SECOND_MS)),
});
