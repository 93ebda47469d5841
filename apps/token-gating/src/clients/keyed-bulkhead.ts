import { bulkhead, type BulkheadPolicy } from 'cockatiel';

/** Bulkheads by key, each kept while it is in use. */
export class KeyedBulkhead {
  private readonly byKey = new Map<string, { readonly policy: BulkheadPolicy; users: number }>();

  constructor(
    private readonly maxRunning: number,
    private readonly maxWaiting: number,
  ) {}

  /** @throws BulkheadRejectedError if too much is waiting already */
  async execute<T>(key: string, work: () => Promise<T>): Promise<T> {
    let entry = this.byKey.get(key);
    if (!entry)
      this.byKey.set(key, (entry = { policy: bulkhead(this.maxRunning, this.maxWaiting), users: 0 }));
    entry.users += 1;
    try {
      return await entry.policy.execute(work);
    } finally {
      entry.users -= 1;
      if (entry.users === 0) this.byKey.delete(key);
    }
  }
}
