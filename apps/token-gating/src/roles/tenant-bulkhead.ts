import { MINUTE_MS, SECOND_MS, boundEntries } from '@app/common';
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

/** An owner's turn ends this long after its job should have come back: the job may have run in another process. */
const TURN_GRACE_MS = 2 * SECOND_MS;
/** Bounds how long a free place is kept for the job whose turn it is. */
const MAX_TURN_SPACING_MS = SECOND_MS;

/**
 * The owners whose jobs were postponed, in the order in which they take turns. A free place is kept for the first of them until its job is back, so that
 * an owner with many jobs, one of which always comes back in time, waits for a job of each other owner. Owners beyond the bound have no turn.
 */
class OwnerTurns {
  /** When the job whose turn it is comes back, by owner. */
  private readonly returnsAt = new Map<string, number>();

  /** Ends the owner's turn where it is one of the first for `free` places. @returns whether it is */
  take(ownerId: string, free: number): boolean {
    if ((this.findPosition(ownerId) ?? this.returnsAt.size) >= free) return false;
    this.returnsAt.delete(ownerId);
    return true;
  }

  /** @returns after how long the job comes back to have its turn; undefined where another job of the owner does */
  wait(ownerId: string, spacingMs: number): number | undefined {
    const now = performance.now();
    const position = this.findPosition(ownerId) ?? this.returnsAt.size;
    if (position >= MAX_KNOWN || (this.returnsAt.get(ownerId) ?? now) > now) return undefined;
    const afterMs = MIN_BUSY_DELAY_MS + (position + 1) * Math.min(spacingMs, MAX_TURN_SPACING_MS);
    const delayMs = Math.min(Math.round(afterMs), MAX_BUSY_DELAY_MS);
    this.returnsAt.set(ownerId, now + delayMs);
    return delayMs;
  }

  private findPosition(ownerId: string): number | undefined {
    const now = performance.now();
    let position = 0;
    for (const [id, returnsAt] of this.returnsAt) {
      if (returnsAt + TURN_GRACE_MS < now) this.returnsAt.delete(id);
      else if (id === ownerId) return position;
      else position += 1;
    }
    return undefined;
  }
}

/** No user and no tenant has this id. */
const WITHOUT_APPLICATION = 'communities without an application';

/**
 * Bounds the jobs of one tenant that a consumer runs at once, so that no tenant fills all of its places. Jobs beyond wait in
 * the queue, and come back one after the other as fast as the tenant's jobs end. All communities without an approved client
 * application are one tenant here: anyone may have some of them, and a place that such a job holds while it waits for its small share of
 * the nodes (BackgroundRounds) is one less for all others. Their owners take turns, so that none of them has all of these places.
 */
export class TenantBulkhead {
  private readonly running: Bulkhead;
  private readonly paces = new LRUCache<string, Pace>(boundEntries(MAX_KNOWN));
  private readonly turns = new OwnerTurns();
  /** Without communities that have no application: one that is approved leaves them at its next job. */
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
    const { ownerId } = loaded;
    const tenantId = loaded.isWithoutApplication ? WITHOUT_APPLICATION : ownerId;
    if (loaded.isWithoutApplication) {
      this.knownTenantIds.delete(key);
      this.takeTurn(ownerId);
    } else {
      this.knownTenantIds.set(key, tenantId);
      this.checkHasPlace(tenantId);
    }
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
    if (!this.running.hasRoom(tenantId)) this.postpone(tenantId, this.getSpacing(tenantId));
  }

  private takeTurn(ownerId: string): void {
    const free = this.maxPerTenant - this.running.countOf(WITHOUT_APPLICATION);
    if (this.turns.take(ownerId, free)) return;
    const spacingMs = this.getSpacing(WITHOUT_APPLICATION);
    const delayMs = this.turns.wait(ownerId, spacingMs);
    if (delayMs !== undefined) throw new RetryLaterError(delayMs);
    this.postpone(`${WITHOUT_APPLICATION} of ${ownerId}`, spacingMs);
  }

  private getSpacing(tenantId: string): number {
    return Math.max(MIN_SPACING_MS, this.getPace(tenantId).lastDurationMs / this.maxPerTenant);
  }

  private postpone(paceId: string, spacingMs: number): never {
    const pace = this.getPace(paceId);
    const now = performance.now();
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
