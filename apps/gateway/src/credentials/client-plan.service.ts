import { Injectable } from '@nestjs/common';
import type { ClientPlan } from '@app/dto';
import { MINUTE_MS, boundEntries } from '@app/common';
import { LRUCache } from 'lru-cache';
import { plansUnavailable } from './credentials.errors.js';
import { IdentityClient } from './identity-client.js';
import { RevocationFeedSubscriber } from './revocation-feed-subscriber.js';
import { SingleFlight } from './single-flight.js';

const MAX_KNOWN_CLIENTS = 20_000;
const MAX_UNKNOWN_CLIENTS = 20_000;
const UNKNOWN_TTL_MS = MINUTE_MS;

/** Plans by client id; unknown client applications are left out. */
type PlansByClientId = Map<string, ClientPlan>;

/**
 * Looks up plan and scopes of client applications, for requests without an API key. Caches unknown ones too, because the
 * tokens of a deleted client application stay in use until they expire.
 */
@Injectable()
export class ClientPlanService {
  private readonly known = new LRUCache<string, ClientPlan>(boundEntries(MAX_KNOWN_CLIENTS));
  /** A cache of its own, so that unknown client ids cannot evict known ones. */
  private readonly unknown = new LRUCache<string, true>({
    ...boundEntries(MAX_UNKNOWN_CLIENTS),
    ttl: UNKNOWN_TTL_MS,
  });
  private readonly lookups = new SingleFlight<ClientPlan | undefined>();

  constructor(
    private readonly identity: IdentityClient,
    private readonly feed: RevocationFeedSubscriber,
  ) {
    feed.onChanges(({ truncated, clientIds }) => {
      for (const cache of [this.known, this.unknown]) {
        if (truncated) cache.clear();
        for (const clientId of clientIds) cache.delete(clientId);
      }
    });
  }

  /** The cached plan of a client application. */
  getCached(clientId: string): ClientPlan | undefined {
    return this.feed.isTrusted ? this.known.get(clientId) : undefined;
  }

  /** Whether a concurrent request is already loading this plan. */
  isLoading(clientId: string): boolean {
    return this.lookups.isPending(clientId);
  }

  /**
   * Plans by client id; unknown client applications are left out.
   * @throws AppError 503 when identity is unavailable
   */
  async findPlans(clientIds: readonly string[]): Promise<PlansByClientId> {
    const found: PlansByClientId = new Map();
    const missing = new Set<string>();
    for (const clientId of clientIds) {
      const plan = this.getCached(clientId);
      if (plan) found.set(clientId, plan);
      else if (!this.isUnknown(clientId)) missing.add(clientId);
    }
    const plans = await Promise.all(this.loadOnce([...missing]));
    for (const plan of plans) if (plan) found.set(plan.clientId, plan);
    return found;
  }

  private isUnknown(clientId: string): boolean {
    return this.feed.isTrusted && this.unknown.has(clientId);
  }

  /** Loads the plans that no concurrent request is loading, all in one request to identity. */
  private loadOnce(clientIds: readonly string[]): Promise<ClientPlan | undefined>[] {
    const toLoad = clientIds.filter((clientId) => !this.lookups.isPending(clientId));
    const batch = toLoad.length === 0 ? Promise.resolve(new Map<string, ClientPlan>()) : this.load(toLoad);
    return clientIds.map((clientId) =>
      this.lookups.run(clientId, () => batch.then((plans) => plans.get(clientId))),
    );
  }

  private async load(clientIds: readonly string[]): Promise<PlansByClientId> {
    const { asOf, plans } = await this.identity.loadClientPlans(clientIds).catch((error: unknown) => {
      throw plansUnavailable(error);
    });
    const found: PlansByClientId = new Map(plans.map((plan) => [plan.clientId, plan]));
    // A response older than the last applied change may be outdated: it serves this request, but is not cached.
    if (asOf >= this.feed.lastSequence)
      for (const clientId of clientIds) this.cache(clientId, found.get(clientId));
    return found;
  }

  private cache(clientId: string, plan: ClientPlan | undefined): void {
    if (plan) this.known.set(clientId, plan);
    else this.unknown.set(clientId, true);
  }
}
