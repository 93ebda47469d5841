import type { RefusalCount } from '@app/dto';
import { boundEntries } from '@app/common';
import { LRUCache } from 'lru-cache';
import {
  toHour,
  listRetainedHours,
  formatRefusalKey,
  RefusalStore,
  toRefusalCount,
} from './refusal-store.js';

const MAX_TENANTS = 10_000;

/** Counts refusals of a single gateway. Counts are lost when it stops. */
export class MemoryRefusalStore extends RefusalStore {
  /** Per tenant: counts by hour and refusal key. */
  private readonly tenants = new LRUCache<string, Map<number, Map<string, number>>>(
    boundEntries(MAX_TENANTS),
  );

  constructor(private readonly now: () => number = Date.now) {
    super();
  }

  record(tenantId: string, clientId: string, code: string): void {
    const hour = toHour(this.now());
    const hours = this.tenants.get(tenantId) ?? new Map<number, Map<string, number>>();
    let counts = hours.get(hour);
    if (!counts) {
      hours.set(hour, (counts = new Map<string, number>()));
      const retained = new Set(listRetainedHours(this.now()));
      for (const old of hours.keys()) if (!retained.has(old)) hours.delete(old);
    }
    const key = formatRefusalKey(clientId, code);
    counts.set(key, (counts.get(key) ?? 0) + 1);
    this.tenants.set(tenantId, hours);
  }

  listRecent(tenantId: string): Promise<RefusalCount[]> {
    const hours = this.tenants.get(tenantId);
    const counts = listRetainedHours(this.now()).flatMap((hour) =>
      [...(hours?.get(hour) ?? [])].map(([key, count]) => toRefusalCount(hour, key, count)),
    );
    return Promise.resolve(counts);
  }

  close(): Promise<void> {
    return Promise.resolve();
  }
}
