import { MINUTE_MS, boundEntries } from '@app/common';
import { Bulkhead } from '@app/limits';
import { LRUCache } from 'lru-cache';

/** Rounds of a chain at once. */
const MAX_ROUNDS = 2;
/** The slow contracts of a tenant leave a place to the others. */
const MAX_ROUNDS_PER_TENANT = 1;
/** The charge of an unknown tenant: behind tenants that are known to be cheap, ahead of those that are known to be costly. */
const INITIAL_CHARGE_MS = 1_000;
/** Half of a charge is forgotten after this time. */
const CHARGE_HALF_LIFE_MS = MINUTE_MS;
/** The tenants that were charged least recently are forgotten beyond this. */
const MAX_TENANTS = 10_000;

/**
 * Bounds the background reads of each chain: the next round is that of the tenant which has used the least node time lately.
 * The chunks of a round are read one by one, so more rounds at once would run into their timeouts.
 */
export class BackgroundRounds {
  private readonly chains = new Map<number, Bulkhead>();
  private readonly charges = new LRUCache<string, { readonly ms: number; readonly chargedAt: number }>({
    ...boundEntries(MAX_TENANTS),
  });

  /** Waits for a turn without a timeout of its own, because each round has one. */
  async run<T>(chainId: number, tenant: string, round: () => Promise<T>): Promise<T> {
    return this.getBulkhead(chainId).run(tenant, async () => {
      const startedAt = performance.now();
      try {
        return await round();
      } finally {
        this.charge(tenant, startedAt);
      }
    });
  }

  private getBulkhead(chainId: number): Bulkhead {
    const bulkhead =
      this.chains.get(chainId) ??
      new Bulkhead({
        max: MAX_ROUNDS,
        maxPerKey: MAX_ROUNDS_PER_TENANT,
        maxWaitingPerKey: Infinity,
        useOf: (tenant) => this.getCharge(tenant, performance.now()),
      });
    this.chains.set(chainId, bulkhead);
    return bulkhead;
  }

  private charge(tenant: string, startedAt: number): void {
    const now = performance.now();
    const earlier = this.charges.has(tenant) ? this.getCharge(tenant, now) : 0;
    this.charges.set(tenant, { ms: earlier + now - startedAt, chargedAt: now });
  }

  private getCharge(tenant: string, now: number): number {
    const charge = this.charges.peek(tenant);
    if (!charge) return INITIAL_CHARGE_MS;
    return charge.ms * 2 ** ((charge.chargedAt - now) / CHARGE_HALF_LIFE_MS);
  }
}
