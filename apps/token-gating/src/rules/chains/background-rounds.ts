import { MINUTE_MS, boundEntries } from '@app/common';
import { Bulkhead } from '@app/limits';
import { LRUCache } from 'lru-cache';
import { setTimeout as sleep } from 'node:timers/promises';

/** Rounds of a chain at once. */
const MAX_ROUNDS = 2;
/** The slow contracts of a tenant leave a place to the others. */
const MAX_ROUNDS_PER_TENANT = 1;
/** The charge of an unknown tenant: behind tenants that are known to be cheap, ahead of those that are known to be costly. */
const INITIAL_CHARGE_MS = 1_000;
/** Half of a charge is forgotten after this time. */
const CHARGE_HALF_LIFE_MS = MINUTE_MS;
/** All communities without an approved client application together get this part of a chain's rounds. */
const LIMITED_SHARE = 1 / 10;
/** How many times the length of a round of theirs they wait after it. */
const RESTS_PER_ROUND = 1 / (LIMITED_SHARE * MAX_ROUNDS) - 1;
/** They are one tenant among the others; no user and no tenant has this id. */
const LIMITED_TENANT = 'communities without an application';
/** The tenants that were charged least recently are forgotten beyond this. */
const MAX_TENANTS = 10_000;

/** Milliseconds of a clock that is never set back. */
interface Clock {
  readonly now: () => number;
  readonly sleep: (ms: number) => Promise<unknown>;
}

/** A rest keeps no process alive. */
const PROCESS_CLOCK: Clock = {
  now: () => performance.now(),
  sleep: (ms) => sleep(ms, undefined, { ref: false }),
};

/**
 * Bounds the background reads of each chain: the next round is that of the tenant which has used the least node time lately.
 * The chunks of a round are read one by one, so more rounds at once would run into their timeouts.
 *
 * Communities without an approved client application, of which anyone may have some, have a tenth of a chain's rounds, whoever else
 * waits: one round of theirs runs at a time, and after it none begins for four times as long as it took, so that they fill one of
 * the two places for a fifth of the time. Their owners take turns. To others they are one tenant: a round of another
 * tenant waits for at most one round of theirs.
 */
export class BackgroundRounds {
  private readonly chains = new Map<number, Bulkhead>();
  private readonly limitedChains = new Map<number, Bulkhead>();
  private readonly charges = new LRUCache<string, { readonly ms: number; readonly chargedAt: number }>({
    ...boundEntries(MAX_TENANTS),
  });

  constructor(private readonly clock: Clock = PROCESS_CLOCK) {}

  /** Waits for a turn without a timeout of its own, because each round has one. */
  async run<T>(chainId: number, tenant: string, round: () => Promise<T>): Promise<T> {
    return this.getBulkhead(chainId).run(tenant, async () => {
      const startedAt = this.clock.now();
      try {
        return await round();
      } finally {
        this.charge(tenant, startedAt);
      }
    });
  }

  /** Runs a round of a community without an approved client application. It waits like others, and for its part of the rounds. */
  runLimited<T>(chainId: number, tenant: string, round: () => Promise<T>): Promise<T> {
    return new Promise((resolve, reject) => {
      void this.getLimitedBulkhead(chainId).run(tenant, async () => {
        let tookMs = 0;
        const measured = async (): Promise<T> => {
          const startedAt = this.clock.now();
          try {
            return await round();
          } finally {
            tookMs = this.clock.now() - startedAt;
          }
        };
        await this.run(chainId, LIMITED_TENANT, measured).then(resolve, reject);
        await this.clock.sleep(tookMs * RESTS_PER_ROUND);
      });
    });
  }

  private getLimitedBulkhead(chainId: number): Bulkhead {
    const bulkhead = this.limitedChains.get(chainId) ?? new Bulkhead({ max: 1, maxWaitingPerKey: Infinity });
    this.limitedChains.set(chainId, bulkhead);
    return bulkhead;
  }

  private getBulkhead(chainId: number): Bulkhead {
    const bulkhead =
      this.chains.get(chainId) ??
      new Bulkhead({
        max: MAX_ROUNDS,
        maxPerKey: MAX_ROUNDS_PER_TENANT,
        maxWaitingPerKey: Infinity,
        useOf: (tenant) => this.getCharge(tenant, this.clock.now()),
      });
    this.chains.set(chainId, bulkhead);
    return bulkhead;
  }

  private charge(tenant: string, startedAt: number): void {
    const now = this.clock.now();
    const earlier = this.charges.has(tenant) ? this.getCharge(tenant, now) : 0;
    this.charges.set(tenant, { ms: earlier + now - startedAt, chargedAt: now });
  }

  private getCharge(tenant: string, now: number): number {
    const charge = this.charges.peek(tenant);
    if (!charge) return INITIAL_CHARGE_MS;
    return charge.ms * 2 ** ((charge.chargedAt - now) / CHARGE_HALF_LIFE_MS);
  }
}
