import { MINUTE_MS, boundEntries } from '@app/common';
import { LRUCache } from 'lru-cache';

/** Concurrent rounds per chain. A tenant has one at a time, so that its slow contracts leave a place to the others. */
const MAX_ROUNDS = 2;
/** The charge of an unknown tenant: behind tenants that are known to be cheap, ahead of those that are known to be costly. */
const INITIAL_CHARGE_MS = 1_000;
/** Half of a charge is forgotten after this time. */
const CHARGE_HALF_LIFE_MS = MINUTE_MS;
/** The tenants that were charged least recently are forgotten beyond this. */
const MAX_TENANTS = 10_000;

interface WaitingRound {
  readonly tenant: string;
  readonly begin: () => void;
}

interface ChainRounds {
  readonly runningTenants: Set<string>;
  readonly waiting: WaitingRound[];
}

/**
 * Takes turns between tenants at the background lanes of each chain: the next round is that of the tenant which has used the
 * least node time lately. The chunks of a round are read one by one, so more rounds at once would run into their timeouts.
 */
export class BackgroundRounds {
  private readonly byChain = new Map<number, ChainRounds>();
  private readonly charges = new LRUCache<string, { readonly ms: number; readonly chargedAt: number }>({
    ...boundEntries(MAX_TENANTS),
  });

  /** Waits for a turn without a timeout of its own, because each round has one. */
  async run<T>(chainId: number, tenant: string, round: () => Promise<T>): Promise<T> {
    let rounds = this.byChain.get(chainId);
    if (!rounds) this.byChain.set(chainId, (rounds = { runningTenants: new Set(), waiting: [] }));
    const { waiting } = rounds;
    const turn = new Promise<void>((begin) => waiting.push({ tenant, begin }));
    this.beginNext(rounds);
    await turn;
    const startedAt = performance.now();
    try {
      return await round();
    } finally {
      this.charge(tenant, startedAt);
      rounds.runningTenants.delete(tenant);
      this.beginNext(rounds);
      if (rounds.runningTenants.size === 0) this.byChain.delete(chainId);
    }
  }

  private beginNext({ runningTenants, waiting }: ChainRounds): void {
    while (runningTenants.size < MAX_ROUNDS) {
      const now = performance.now();
      let next = -1;
      let leastCharge = Infinity;
      waiting.forEach(({ tenant }, index) => {
        const charge = this.getCharge(tenant, now);
        if (runningTenants.has(tenant) || charge >= leastCharge) return;
        next = index;
        leastCharge = charge;
      });
      const [round] = next < 0 ? [] : waiting.splice(next, 1);
      if (!round) return;
      runningTenants.add(round.tenant);
      round.begin();
    }
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
