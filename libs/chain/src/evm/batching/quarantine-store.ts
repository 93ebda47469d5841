import { type EvmAddress } from '@app/dto';
import { LRUCache } from 'lru-cache';

/** The least recently added contracts are evicted beyond this. */
const MAX_CONTRACTS = 1_000;

/** The misbehaving contracts of one chain, each until `ttlMs` after it last misbehaved. `onChange` receives their number. */
export class QuarantineStore {
  private readonly contracts: LRUCache<string, true>;
  private reportedSize = 0;

  constructor(
    ttlMs: number,
    private readonly onChange: (contracts: number) => void,
  ) {
    this.contracts = new LRUCache({
      max: MAX_CONTRACTS,
      ttl: ttlMs,
      ttlAutopurge: true,
      disposeAfter: () => {
        this.reportSize();
      },
    });
  }

  add(contract: EvmAddress): void {
    this.contracts.set(contract, true);
    this.reportSize();
  }

  has(contract: string): boolean {
    return this.contracts.size > 0 && this.contracts.has(contract);
  }

  clear(): void {
    this.contracts.clear();
  }

  private reportSize(): void {
    if (this.contracts.size === this.reportedSize) return;
    this.reportedSize = this.contracts.size;
    this.onChange(this.reportedSize);
  }
}
