import { MINUTE_MS, boundEntries } from '@app/common';
import { Bulkhead } from '@app/limits';
import { RetryLaterError } from '@app/queues';
import { LRUCache } from 'lru-cache';

const MIN_BUSY_DELAY_MS = 250;
/** Bounds the time in which a tenant's places stay empty after its jobs have become faster. */
const MAX_BUSY_DELAY_MS = MINUTE_MS;
/** Bounds how many jobs of a busy tenant come back in a second. */
const MIN_SPACING_MS = 20;
/** The least recently used beyond are forgotten, which costs a load or a shorter delay. */
const MAX_KNOWN = 10_000;

/** The pace at which postponed jobs of a tenant come back. */
interface Pace {
  lastDurationMs: number;
  /** The time at which the last postponed job comes back. */
  nextReturnAt: number;
}

/** Whose work an object is: its owner's, or that of all communities without an approved client application together. */
export interface TenantWork {
  readonly ownerId: string;
  readonly isWithoutApplication: boolean;
}

/** No user and no tenant has this id. */
const WITHOUT_APPLICATION = 'communities without an application';

/**
 * Bounds the jobs of one tenant that a consumer runs at once, so that no tenant fills all of its places. Jobs beyond wait in
 * the queue, and come back one after the other as fast as the tenant's jobs end. All communities without an approved client
 * application are one tenant here: anyone may have some of them, and a place that such a job holds while it waits for its small share of
 * the nodes (BackgroundRounds) is one less for all others.
 */
export class TenantBulkhead {
  private readonly running: Bulkhead;
  private readonly paces = new LRUCache<string, Pace>(boundEntries(MAX_KNOWN));
  private readonly knownTenantIds = new LRUCache<string, string>(boundEntries(MAX_KNOWN));

  constructor(private readonly maxPerTenant: number) {
    this.running = new Bulkhead({ maxPerKey: maxPerTenant });
  }

  /**
   * Loads a job's object and works on it. A job of a busy tenant is postponed without the load, if the tenant of `key` is known.
   * @returns undefined where nothing is loaded
   * @throws RetryLaterError when the tenant has all the places that one tenant may have
   */
  async run<L extends TenantWork, T>(
    key: string,
    load: () => Promise<L | undefined>,
    work: (loaded: L) => Promise<T>,
  ): Promise<T | undefined> {
    const knownId = this.knownTenantIds.get(key);
    if (knownId !== undefined) this.checkHasPlace(knownId);
    const loaded = await load();
    if (!loaded) return undefined;
    const tenantId = loaded.isWithoutApplication ? WITHOUT_APPLICATION : loaded.ownerId;
    this.knownTenantIds.set(key, tenantId);
    this.checkHasPlace(tenantId);
    return this.running.run(tenantId, () => this.measure(tenantId, work(loaded)));
  }

  private async measure<T>(tenantId: string, work: Promise<T>): Promise<T> {
    const startedAt = performance.now();
    try {
      return await work;
    } finally {
      this.getPace(tenantId).lastDurationMs = performance.now() - startedAt;
    }
  }

  private checkHasPlace(tenantId: string): void {
    if (this.running.hasRoom(tenantId)) return;
    const pace = this.getPace(tenantId);
    const now = performance.now();
    const spacingMs = Math.max(MIN_SPACING_MS, pace.lastDurationMs / this.maxPerTenant);
    const delayMs = Math.max(pace.nextReturnAt - now, MIN_BUSY_DELAY_MS) + spacingMs;
    pace.nextReturnAt = now + Math.min(delayMs, MAX_BUSY_DELAY_MS);
    throw new RetryLaterError(Math.round(pace.nextReturnAt - now));
  }

  private getPace(tenantId: string): Pace {
    const pace = this.paces.get(tenantId) ?? { lastDurationMs: 0, nextReturnAt: 0 };
    this.paces.set(tenantId, pace);
    return pace;
  }
}
