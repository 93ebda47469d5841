import type { Address } from 'viem';
import type { ChainLease, ChainLeaseRepository } from './chain-lease.repository.js';

const INCLUSIONS = 'inclusions';

/** Leases that this instance holds on one chain. It sends with one executor, and finishes transactions of executors that were left. */
export class ExecutorLeases {
  private readonly held = new Map<string, number>();
  private primary: Address | undefined;

  constructor(
    private readonly repository: ChainLeaseRepository,
    private readonly chainId: number,
    private readonly holder: string,
    private readonly leaseMs: number,
  ) {}

  toLease(name: string): ChainLease {
    return { chainId: this.chainId, name, holder: this.holder };
  }

  /** Whether this instance looks for included operations. */
  holdInclusions(): Promise<boolean> {
    return this.hold(INCLUSIONS);
  }

  /**
   * The executor of this instance: the first that no other instance holds.
   * @param isTroubled of an executor that cannot send now, which is held only if there is no other one
   */
  async holdPrimary(
    executors: readonly Address[],
    isTroubled: (executor: Address) => boolean,
  ): Promise<Address | undefined> {
    const all = this.primary ? [this.primary, ...executors] : executors;
    const order = [...all.filter((one) => !isTroubled(one)), ...all.filter(isTroubled)];
    this.primary = undefined;
    for (const executor of order) {
      if (!(await this.hold(executor))) continue;
      this.primary = executor;
      break;
    }
    return this.primary;
  }

  /** Whether this instance sends, as far as it knows: with an executor, or with the lease of this name. */
  isSending(name?: string): boolean {
    return name === undefined ? this.primary !== undefined : this.held.has(name);
  }

  /** Takes or renews a lease. */
  async hold(name: string): Promise<boolean> {
    const renewedAt = this.held.get(name);
    const now = performance.now();
    if (renewedAt !== undefined && now - renewedAt < this.leaseMs / 3) return true;
    const isHeld = await this.repository.acquire(this.toLease(name), this.leaseMs);
    if (isHeld) this.held.set(name, now);
    else this.held.delete(name);
    return isHeld;
  }

  /** Lets another instance continue at once. */
  async releaseAll(): Promise<void> {
    const names = [...this.held.keys()];
    this.held.clear();
    this.primary = undefined;
    for (const name of names) await this.repository.release(this.toLease(name));
  }
}
