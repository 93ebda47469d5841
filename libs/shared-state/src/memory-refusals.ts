import type { RefusalCount } from '@app/dto';
import { LRUCache } from 'lru-cache';
import { hourOf, keptHours, refusalName, Refusals, toRefusalCount } from './refusals.js';

const MOST_HOLDERS = 10_000;

/** For one gateway. What it knows goes with it. */
export class MemoryRefusals extends Refusals {
  /** Counts by hour and name. */
  private readonly holders = new LRUCache<string, Map<number, Map<string, number>>>({ max: MOST_HOLDERS });

  constructor(private readonly now: () => number = Date.now) {
    super();
  }

  note(holderId: string, clientId: string, code: string): void {
    const hour = hourOf(this.now());
    const hours = this.holders.get(holderId) ?? new Map<number, Map<string, number>>();
    let counts = hours.get(hour);
    if (!counts) {
      hours.set(hour, (counts = new Map<string, number>()));
      const kept = new Set(keptHours(this.now()));
      for (const old of hours.keys()) if (!kept.has(old)) hours.delete(old);
    }
    const name = refusalName(clientId, code);
    counts.set(name, (counts.get(name) ?? 0) + 1);
    this.holders.set(holderId, hours);
  }

  recent(holderId: string): Promise<RefusalCount[]> {
    const hours = this.holders.get(holderId);
    const counts = keptHours(this.now()).flatMap((hour) =>
      [...(hours?.get(hour) ?? [])].map(([name, count]) => toRefusalCount(hour, name, count)),
    );
    return Promise.resolve(counts);
  }

  close(): Promise<void> {
    return Promise.resolve();
  }
}
