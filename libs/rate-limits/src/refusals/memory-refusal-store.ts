import type { RefusalCount } from '@app/dto';
import { LRUCache } from 'lru-cache';
import {
  toHour,
  listRetainedHours,
  formatRefusalKey,
  RefusalStore,
  toRefusalCount,
} from './refusal-store.js';

const MAX_TENANTS = 10_000;

/** For one gateway. What it knows goes with it. */
export class MemoryRefusalStore extends RefusalStore {
  /** Counts by hour and name. */
  private readonly holders = new LRUCache<string, Map<number, Map<string, number>>>({ max: MAX_TENANTS });

  constructor(private readonly now: () => number = Date.now) {
    super();
  }

  record(holderId: string, clientId: string, code: string): void {
    const hour = toHour(this.now());
    const hours = this.holders.get(holderId) ?? new Map<number, Map<string, number>>();
    let counts = hours.get(hour);
    if (!counts) {
      hours.set(hour, (counts = new Map<string, number>()));
      const kept = new Set(listRetainedHours(this.now()));
      for (const old of hours.keys()) if (!kept.has(old)) hours.delete(old);
    }
    const name = formatRefusalKey(clientId, code);
    counts.set(name, (counts.get(name) ?? 0) + 1);
    this.holders.set(holderId, hours);
  }

  listRecent(holderId: string): Promise<RefusalCount[]> {
    const hours = this.holders.get(holderId);
    const counts = listRetainedHours(this.now()).flatMap((hour) =>
      [...(hours?.get(hour) ?? [])].map(([name, count]) => toRefusalCount(hour, name, count)),
    );
    return Promise.resolve(counts);
  }

  close(): Promise<void> {
    return Promise.resolve();
  }
}
