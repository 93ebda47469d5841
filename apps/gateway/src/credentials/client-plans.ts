import { Injectable } from '@nestjs/common';
import { serviceUnavailable } from '@app/common';
import type { ClientPlan } from '@app/dto';
import { LRUCache } from 'lru-cache';
import { IdentityClient } from './identity-client.js';
import { RevocationFeed } from './revocation-feed.js';

const MOST_CLIENTS = 20_000;

/**
 * Whose plans client applications are on and what they may, for requests that came without a key: kept as credentials
 * are, until the feed says otherwise. Unknown ones are asked for each time.
 */
@Injectable()
export class ClientPlans {
  private readonly cache = new LRUCache<string, ClientPlan>({ max: MOST_CLIENTS });

  constructor(
    private readonly identity: IdentityClient,
    private readonly feed: RevocationFeed,
  ) {
    feed.onChanges(({ truncated, clientIds }) => {
      if (truncated) this.cache.clear();
      for (const clientId of clientIds) this.cache.delete(clientId);
    });
  }

  /** The plan of a client application that was asked for before. */
  recall(clientId: string): ClientPlan | undefined {
    return this.feed.isTrusted ? this.cache.get(clientId) : undefined;
  }

  /**
   * By client id; those that do not exist are left out.
   * @throws AppError 503 when identity cannot be asked
   */
  async find(clientIds: readonly string[]): Promise<Map<string, ClientPlan>> {
    const found = new Map<string, ClientPlan>();
    const missing = new Set<string>();
    for (const clientId of clientIds) {
      const known = this.recall(clientId);
      if (known) found.set(clientId, known);
      else missing.add(clientId);
    }
    if (missing.size > 0) for (const plan of await this.ask([...missing])) found.set(plan.clientId, plan);
    return found;
  }

  private async ask(clientIds: readonly string[]): Promise<readonly ClientPlan[]> {
    const { asOf, plans } = await this.identity.plansOf(clientIds).catch((error: unknown) => {
      throw serviceUnavailable(
        'plans_unavailable',
        'The plans cannot be looked up right now.',
        { retryAfter: 2 },
        { cause: error },
      );
    });
    // As with credentials: read before a change that the feed has told of, it is too old to keep.
    if (asOf >= this.feed.last) for (const plan of plans) this.cache.set(plan.clientId, plan);
    return plans;
  }
}
