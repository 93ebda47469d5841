import { LRUCache } from 'lru-cache';

/** The least recently added targets are evicted beyond this. */
const MAX_TARGETS = 1_000;

/** The misbehaving targets of one chain (contracts, owners), each until `ttlMs` after it last misbehaved. `onChange` receives their number. */
export class QuarantineStore {
  private readonly targets: LRUCache<string, true>;
  private reportedSize = 0;

  constructor(
    ttlMs: number,
    private readonly onChange: (targets: number) => void,
  ) {
    this.targets = new LRUCache({
      max: MAX_TARGETS,
      ttl: ttlMs,
      ttlAutopurge: true,
      disposeAfter: () => {
        this.reportSize();
      },
    });
  }

  add(target: string): void {
    this.targets.set(target, true);
    this.reportSize();
  }

  has(target: string): boolean {
    return this.targets.size > 0 && this.targets.has(target);
  }

  clear(): void {
    this.targets.clear();
  }

  private reportSize(): void {
    if (this.targets.size === this.reportedSize) return;
    this.reportedSize = this.targets.size;
    this.onChange(this.reportedSize);
  }
}
