import { Injectable } from '@nestjs/common';
import type { ClientPlan } from '@app/dto';
import { LRUCache } from 'lru-cache';
import { IdentityClient } from './identity-client.js';
import { RevocationFeedSubscriber } from './revocation-feed-subscriber.js';
import { plansUnavailable } from './credentials.errors.js';

const MAX_KNOWN_CLIENTS = 20_000;
const MAX_UNKNOWN_CLIENTS = 20_000;
const UNKNOWN_TTL_MS = 60_000;

/** By client id, without those that do not exist. */
type PlansByClientId = Map<string, ClientPlan>;

/**
 * Whose plans client applications are on and what they may, for requests that came without a key: kept as credentials
 * are, until the feed says otherwise, and asked for once for all who wait. So it is with those that do not exist: the
 * tokens of a deleted one come on for an hour.
 */
@Injectable()
export class ClientPlanService {
  private readonly known = new LRUCache<string, ClientPlan>({ max: MAX_KNOWN_CLIENTS });
  /** Of their own size, so that they cannot drive out what is in use. */
  private readonly unknown = new LRUCache<string, true>({ max: MAX_UNKNOWN_CLIENTS, ttl: UNKNOWN_TTL_MS });
  private readonly asking = new Map<string, Promise<ClientPlan | undefined>>();

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

  /** The plan of a client application that was asked for before. */
  getCached(clientId: string): ClientPlan | undefined {
    return this.feed.isTrusted ? this.known.get(clientId) : undefined;
  }

  /**
   * By client id; those that do not exist are left out.
   * @throws AppError 503 when identity cannot be asked
   */
  async findPlans(clientIds: readonly string[]): Promise<PlansByClientId> {
    const found: PlansByClientId = new Map();
    const missing = new Set<string>();
    for (const clientId of clientIds) {
      const plan = this.getCached(clientId);
      if (plan) found.set(clientId, plan);
      else if (!this.isUnknown(clientId)) missing.add(clientId);
    }
    if (missing.size === 0) return found;
    this.askFor([...missing].filter((clientId) => !this.asking.has(clientId)));
    const plans = await Promise.all([...missing].flatMap((clientId) => this.asking.get(clientId) ?? []));
    for (const plan of plans) if (plan) found.set(plan.clientId, plan);
    return found;
  }

  private isUnknown(clientId: string): boolean {
    return this.feed.isTrusted && this.unknown.has(clientId);
  }

  private askFor(clientIds: readonly string[]): void {
    if (clientIds.length === 0) return;
    const answer = this.ask(clientIds);
    for (const clientId of clientIds) {
      const plan = answer.then((plans) => plans.get(clientId)).finally(() => this.asking.delete(clientId));
      this.asking.set(clientId, plan);
    }
  }

  private async ask(clientIds: readonly string[]): Promise<PlansByClientId> {
    const { asOf, plans } = await this.identity.loadClientPlans(clientIds).catch((error: unknown) => {
      throw plansUnavailable(error);
    });
    const found: PlansByClientId = new Map(plans.map((plan) => [plan.clientId, plan]));
    // As with credentials: read before a change that the feed has told of, it is too old to keep.
    if (asOf >= this.feed.lastSequence)
      for (const clientId of clientIds) this.keep(clientId, found.get(clientId));
    return found;
  }

  private keep(clientId: string, plan: ClientPlan | undefined): void {
    if (plan) this.known.set(clientId, plan);
    else this.unknown.set(clientId, true);
  }
}
