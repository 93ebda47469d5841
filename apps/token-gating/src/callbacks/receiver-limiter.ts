import { MINUTE_MS, boundEntries } from '@app/common';
import { Bulkhead } from '@app/limits';
import { LRUCache } from 'lru-cache';

/** Concurrent attempts to a receiver that has not responded yet. */
const UNKNOWN_RECEIVER_SLOTS = 2;
/** Maximum deliveries that wait locally, per slot. */
const MAX_WAITING_PER_SLOT = 8;
/** While the oldest attempt takes longer than this, further deliveries are deferred instead of waiting locally. */
const SLOW_MS = 1_000;
/** Deliveries that waited longer are deferred, because their claim would end while they are sent. */
const MAX_WAIT_MS = 10_000;
const MIN_DELAY_MS = 250;
const MAX_DELAY_MS = MINUTE_MS;
/** Spaces deferred deliveries to an unknown receiver, so that thousands do not become due again at once. */
const MIN_SPACING_MS = 1;
/** Spaces the deferred deliveries of a tenant whose share is used up, whatever their receivers are. */
const TENANT_SPACING_MS = 10;
/** How long the state of a receiver is kept after its last response. */
const RECEIVER_TTL_MS = 10 * MINUTE_MS;
const MAX_RECEIVERS = 20_000;

/** The receiver of a tenant's callbacks. If two tenants have the same receiver, the one cannot slow down the other. */
export interface ReceiverId {
  readonly tenantId: string;
  /** Scheme, host and port. */
  readonly origin: string;
}

/** Permission for one attempt to a receiver. */
export interface Slot {
  readonly receiver: ReceiverId;
  readonly since: number;
  /** Whether the receiver responded to its last attempt. */
  readonly isResponsive: boolean;
}

/** When the last of some deferred deliveries is due. */
interface Pace {
  nextDeferredAt: number;
}

interface Receiver<T> {
  readonly key: string;
  readonly tenantId: string;
  /** Attempts in flight, oldest first. */
  readonly slots: Set<Slot>;
  readonly waiting: { readonly delivery: T; readonly since: number }[];
  lastDurationMs: number;
  nextDeferredAt: number;
}

/** The delivery may be sent now, waits locally for a slot, or has to be deferred. */
export type AcquireResult = { readonly slot: Slot } | 'queued' | { readonly delayMs: number };

export interface DeferredDelivery<T> {
  readonly delivery: T;
  readonly delayMs: number;
}

export interface ReleaseResult<T> {
  readonly next: { readonly delivery: T; readonly slot: Slot } | undefined;
  readonly deferred: readonly DeferredDelivery<T>[];
}

export interface ReceiverLimiterOptions {
  /** Maximum concurrent attempts to one responsive receiver. */
  readonly maxPerReceiver: number;
  /** Maximum concurrent attempts to all receivers. */
  readonly maxInFlight: number;
  /** Maximum concurrent attempts to all unresponsive or unknown receivers. */
  readonly maxUntrusted: number;
  readonly now?: () => number;
}

/**
 * Limits the attempts in flight to each receiver, so that a slow receiver does not delay the others. Some attempts run
 * concurrently, some wait locally, and the rest are deferred, spaced by the receiver's response time. An unresponsive receiver
 * gets one attempt at a time, and all unresponsive or unknown ones together at most `maxUntrusted`.
 *
 * A tenant has at most as many attempts in flight as are left for others: one tenant half of the maximum, two a third each.
 */
export class ReceiverLimiter<T> {
  private readonly active = new Map<string, Receiver<T>>();
  /** Attempts in flight by tenant. */
  private readonly attempts: Bulkhead;
  /** Attempts in flight to receivers that are unresponsive or unknown, by tenant. */
  private readonly untrusted: Bulkhead;
  /** Paces of tenants with attempts in flight. */
  private readonly paces = new Map<string, Pace>();
  /** Time of the last response by receiver; 0 when the last attempt got no response. */
  private readonly respondedAt = new LRUCache<string, number>({
    ...boundEntries(MAX_RECEIVERS),
    ttl: RECEIVER_TTL_MS,
  });
  private readonly now: () => number;
  private totalWaiting = 0;

  constructor(private readonly options: ReceiverLimiterOptions) {
    const maxPerKey = (free: number): number => free;
    this.attempts = new Bulkhead({ max: options.maxInFlight, maxPerKey });
    this.untrusted = new Bulkhead({ max: options.maxUntrusted, maxPerKey });
    this.now = options.now ?? (() => performance.now());
  }

  /** Deliveries that wait locally for a slot, over all receivers. */
  get waitingCount(): number {
    return this.totalWaiting;
  }

  acquire(id: ReceiverId, delivery: T): AcquireResult {
    const receiver = this.find(id);
    if (this.hasFreeSlot(receiver)) return { slot: this.occupySlot(id, receiver) };
    if (this.canWait(receiver)) {
      receiver.waiting.push({ delivery, since: this.now() });
      this.totalWaiting += 1;
      return 'queued';
    }
    const delayMs = this.deferNext(receiver);
    this.deleteIfIdle(receiver);
    return { delayMs };
  }

  /**
   * Ends an attempt. @returns the next delivery to send and the deliveries that must not wait any longer
   * @param answered whether the receiver responded with any status; undefined when nothing was sent
   */
  release(slot: Slot, answered: boolean | undefined): ReleaseResult<T> {
    const receiver = this.find(slot.receiver);
    receiver.slots.delete(slot);
    this.attempts.release(receiver.tenantId);
    if (!slot.isResponsive) this.untrusted.release(receiver.tenantId);
    if (answered !== undefined) this.recordResponse(slot, receiver, answered);
    const deferred = this.removeOverdue(receiver);
    const first = this.hasFreeSlot(receiver) ? receiver.waiting.shift() : undefined;
    const next = first && { delivery: first.delivery, slot: this.occupySlot(slot.receiver, receiver) };
    // Without an attempt in flight there is none whose end would send the next.
    if (receiver.slots.size === 0) deferred.push(...this.removeWaiting(receiver, Infinity));
    this.totalWaiting -= deferred.length + (first ? 1 : 0);
    this.deleteIfIdle(receiver);
    return { next, deferred };
  }

  /** Removes all deliveries that wait locally. */
  clear(): DeferredDelivery<T>[] {
    const removed = [...this.active.values()].flatMap(({ waiting }) => waiting.splice(0));
    this.totalWaiting = 0;
    return removed.map(({ delivery }) => ({ delivery, delayMs: 0 }));
  }

  private recordResponse({ since }: Slot, receiver: Receiver<T>, answered: boolean): void {
    const now = this.now();
    // A hanging attempt does not count when a later one got a response.
    if (!answered && (this.respondedAt.get(receiver.key) ?? 0) > since) return;
    receiver.lastDurationMs = now - since;
    this.respondedAt.set(receiver.key, answered ? now : 0);
    if (answered) receiver.nextDeferredAt = Math.min(receiver.nextDeferredAt, now + MIN_DELAY_MS);
  }

  private occupySlot(id: ReceiverId, receiver: Receiver<T>): Slot {
    const slot = { receiver: id, since: this.now(), isResponsive: this.isResponsive(receiver) };
    receiver.slots.add(slot);
    this.attempts.acquire(receiver.tenantId);
    if (!slot.isResponsive) this.untrusted.acquire(receiver.tenantId);
    return slot;
  }

  private hasFreeSlot(receiver: Receiver<T>): boolean {
    return receiver.slots.size < this.getMaxSlots(receiver) && this.hasTenantShare(receiver);
  }

  private hasTenantShare(receiver: Receiver<T>): boolean {
    const { tenantId } = receiver;
    if (!this.attempts.hasRoom(tenantId)) return false;
    return this.isResponsive(receiver) || this.untrusted.hasRoom(tenantId);
  }

  private getMaxSlots({ key }: Receiver<T>): number {
    const answeredAt = this.respondedAt.get(key);
    if (answeredAt === undefined) return Math.min(UNKNOWN_RECEIVER_SLOTS, this.options.maxPerReceiver);
    return answeredAt === 0 ? 1 : this.options.maxPerReceiver;
  }

  private isResponsive({ key }: Receiver<T>): boolean {
    return Boolean(this.respondedAt.get(key));
  }

  private isUnresponsive({ key }: Receiver<T>): boolean {
    return this.respondedAt.get(key) === 0;
  }

  private canWait(receiver: Receiver<T>): boolean {
    const { slots, waiting } = receiver;
    if (this.isUnresponsive(receiver) || waiting.length >= this.options.maxPerReceiver * MAX_WAITING_PER_SLOT)
      return false;
    const [oldest] = slots;
    return oldest !== undefined && this.now() - oldest.since < SLOW_MS;
  }

  /** Removes deliveries that have waited too long, or all of them when the receiver is unresponsive. */
  private removeOverdue(receiver: Receiver<T>): DeferredDelivery<T>[] {
    const cutoff = this.isUnresponsive(receiver) ? Infinity : this.now() - MAX_WAIT_MS;
    const firstToKeep = receiver.waiting.findIndex(({ since }) => since > cutoff);
    return this.removeWaiting(receiver, firstToKeep === -1 ? Infinity : firstToKeep);
  }

  private removeWaiting(receiver: Receiver<T>, count: number): DeferredDelivery<T>[] {
    const removed = receiver.waiting.splice(0, count);
    return removed.map(({ delivery }) => ({ delivery, delayMs: this.deferNext(receiver) }));
  }

  /**
   * Milliseconds to defer the next delivery: deferred deliveries are spaced by the rate at which attempts end, and those of a
   * tenant whose share is used up by TENANT_SPACING_MS.
   */
  private deferNext(receiver: Receiver<T>): number {
    const now = this.now();
    const [oldest] = receiver.slots;
    const durationMs = Math.max(receiver.lastDurationMs, oldest ? now - oldest.since : 0);
    let deferredUntil = advance(
      receiver,
      now,
      Math.max(MIN_SPACING_MS, durationMs / this.getMaxSlots(receiver)),
    );
    if (!this.hasTenantShare(receiver))
      deferredUntil = Math.max(
        deferredUntil,
        advance(this.getPace(receiver.tenantId), now, TENANT_SPACING_MS),
      );
    return Math.min(Math.round(deferredUntil - now), MAX_DELAY_MS);
  }

  private find({ tenantId, origin }: ReceiverId): Receiver<T> {
    const key = `${tenantId} ${origin}`;
    const found = this.active.get(key);
    if (found) return found;
    const receiver = {
      key,
      tenantId,
      slots: new Set<Slot>(),
      waiting: [],
      lastDurationMs: 0,
      nextDeferredAt: 0,
    };
    this.active.set(key, receiver);
    return receiver;
  }

  private getPace(tenantId: string): Pace {
    const pace = this.paces.get(tenantId) ?? { nextDeferredAt: 0 };
    this.paces.set(tenantId, pace);
    return pace;
  }

  private deleteIfIdle({ key, tenantId, slots, waiting }: Receiver<T>): void {
    if (slots.size === 0 && waiting.length === 0) this.active.delete(key);
    if (this.attempts.countOf(tenantId) === 0) this.paces.delete(tenantId);
  }
}

/** Moves the time of the next deferred delivery. @returns the new time */
function advance(paced: Pace, now: number, spacingMs: number): number {
  paced.nextDeferredAt = Math.max(paced.nextDeferredAt, now + MIN_DELAY_MS) + spacingMs;
  return paced.nextDeferredAt;
}
