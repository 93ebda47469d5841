import { RetryLaterError } from '@app/queues';

/** Milliseconds after which a job that finds its tenant busy comes back; random, so that such jobs do not come back together. */
const MIN_BUSY_DELAY_MS = 250;
const MAX_BUSY_DELAY_MS = 2_000;

/** Bounds the jobs of one tenant that a consumer runs at once, so that no tenant fills all of its places. */
export class TenantPlaces {
  private readonly taken = new Map<string, number>();

  constructor(private readonly maxPerTenant: number) {}

  /** @throws RetryLaterError when the tenant has all the places that one tenant may have */
  async run<T>(tenant: string, work: () => Promise<T>): Promise<T> {
    const taken = this.taken.get(tenant) ?? 0;
    if (taken >= this.maxPerTenant)
      throw new RetryLaterError(MIN_BUSY_DELAY_MS + Math.random() * (MAX_BUSY_DELAY_MS - MIN_BUSY_DELAY_MS));
    this.taken.set(tenant, taken + 1);
    try {
      return await work();
    } finally {
      const left = (this.taken.get(tenant) ?? 1) - 1;
      if (left > 0) this.taken.set(tenant, left);
      else this.taken.delete(tenant);
    }
  }
}
