import { LRUCache } from 'lru-cache';
import { type Address } from '../codec/abi-encode.js';

/** More than that are not remembered: the oldest leave early. */
const MAX_CONTRACTS = 1_000;

/** The contracts of one chain that burned the gas of a batch, flooded its answer or took its time, each for a while after it last did. */
export class QuarantineStore {
  private readonly contracts: LRUCache<string, true>;
  private reported = 0;

  constructor(
    forMs: number,
    private readonly onChange: (contracts: number) => void,
  ) {
    this.contracts = new LRUCache({
      max: MAX_CONTRACTS,
      ttl: forMs,
      ttlAutopurge: true,
      disposeAfter: () => {
        this.report();
      },
    });
  }

  add(contract: Address): void {
    this.contracts.set(contract, true);
    this.report();
  }

  has(contract: string): boolean {
    return this.contracts.size > 0 && this.contracts.has(contract);
  }

  clear(): void {
    this.contracts.clear();
  }

  private report(): void {
    if (this.contracts.size === this.reported) return;
    this.reported = this.contracts.size;
    this.onChange(this.reported);
  }
}
