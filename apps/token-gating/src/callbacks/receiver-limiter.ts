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
const MAX_DELAY_MS = 60_000;
/** Spaces deferred deliveries to an unknown receiver, so that thousands do not become due again at once. */
const MIN_SPACING_MS = 1;
/** How long the state of a receiver is kept after its last response. */
const RECEIVER_TTL_MS = 10 * 60_000;
const MAX_RECEIVERS = 20_000;

/** Permission for one attempt to a receiver. */
export interface Slot {
  readonly origin: string;
  readonly since: number;
  /** Whether the receiver responded to its last attempt. */
  readonly isResponsive: boolean;
}

interface Receiver<T> {
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
  /** Maximum concurrent attempts to all unresponsive or unknown receivers. */
  readonly maxUntrusted: number;
  readonly now?: () => number;
}

/**
 * Limits the attempts in flight to each receiver, so that a slow receiver does not delay the others. Some attempts run
 * concurrently, some wait locally, and the rest are deferred, spaced by the receiver's response time. An unresponsive receiver
 * gets one attempt at a time, and all unresponsive or unknown ones together at most `maxUntrusted`.
 */
export class ReceiverLimiter<T> {
  private readonly active = new Map<string, Receiver<T>>();
  /** Time of the last response by origin; 0 when the last attempt got no response. */
  private readonly respondedAt = new LRUCache<string, number>({ max: MAX_RECEIVERS, ttl: RECEIVER_TTL_MS });
  private readonly now: () => number;
  private totalWaiting = 0;
  private untrustedInFlight = 0;

  constructor(private readonly options: ReceiverLimiterOptions) {
    this.now = options.now ?? (() => performance.now());
  }

  /** Deliveries that wait locally for a slot, over all receivers. */
  get waitingCount(): number {
    return this.totalWaiting;
  }

  acquire(origin: string, delivery: T): AcquireResult {
    const receiver = this.find(origin);
    if (this.hasFreeSlot(origin, receiver)) return { slot: this.occupySlot(origin, receiver) };
    if (this.canWait(origin, receiver)) {
      receiver.waiting.push({ delivery, since: this.now() });
      this.totalWaiting += 1;
      return 'queued';
    }
    const delayMs = this.deferNext(origin, receiver);
    this.deleteIfIdle(origin, receiver);
    return { delayMs };
  }

  /**
   * Ends an attempt. @returns the next delivery to send and the deliveries that must not wait any longer
   * @param answered whether the receiver responded with any status; undefined when nothing was sent
   */
  release(slot: Slot, answered: boolean | undefined): ReleaseResult<T> {
    const { origin } = slot;
    const receiver = this.find(origin);
    receiver.slots.delete(slot);
    if (!slot.isResponsive) this.untrustedInFlight -= 1;
    if (answered !== undefined) this.recordResponse(slot, receiver, answered);
    const deferred = this.removeOverdue(origin, receiver);
    const first = this.hasFreeSlot(origin, receiver) ? receiver.waiting.shift() : undefined;
    this.totalWaiting -= deferred.length + (first ? 1 : 0);
    const next = first && { delivery: first.delivery, slot: this.occupySlot(origin, receiver) };
    this.deleteIfIdle(origin, receiver);
    return { next, deferred };
  }

  /** Removes all deliveries that wait locally. */
  clear(): DeferredDelivery<T>[] {
    const removed = [...this.active.values()].flatMap(({ waiting }) => waiting.splice(0));
    this.totalWaiting = 0;
    return removed.map(({ delivery }) => ({ delivery, delayMs: 0 }));
  }

  private recordResponse({ origin, since }: Slot, receiver: Receiver<T>, answered: boolean): void {
    const now = this.now();
    // A hanging attempt does not count when a later one got a response.
    if (!answered && (this.respondedAt.get(origin) ?? 0) > since) return;
    receiver.lastDurationMs = now - since;
    this.respondedAt.set(origin, answered ? now : 0);
    if (answered) receiver.nextDeferredAt = Math.min(receiver.nextDeferredAt, now + MIN_DELAY_MS);
  }

  private occupySlot(origin: string, { slots }: Receiver<T>): Slot {
    const slot = { origin, since: this.now(), isResponsive: Boolean(this.respondedAt.get(origin)) };
    slots.add(slot);
    if (!slot.isResponsive) this.untrustedInFlight += 1;
    return slot;
  }

  private hasFreeSlot(origin: string, { slots }: Receiver<T>): boolean {
    if (slots.size >= this.getMaxSlots(origin)) return false;
    return Boolean(this.respondedAt.get(origin)) || this.untrustedInFlight < this.options.maxUntrusted;
  }

  private getMaxSlots(origin: string): number {
    const answeredAt = this.respondedAt.get(origin);
    if (answeredAt === undefined) return Math.min(UNKNOWN_RECEIVER_SLOTS, this.options.maxPerReceiver);
    return answeredAt === 0 ? 1 : this.options.maxPerReceiver;
  }

  private isUnresponsive(origin: string): boolean {
    return this.respondedAt.get(origin) === 0;
  }

  private canWait(origin: string, { slots, waiting }: Receiver<T>): boolean {
    if (this.isUnresponsive(origin) || waiting.length >= this.options.maxPerReceiver * MAX_WAITING_PER_SLOT)
      return false;
    const [oldest] = slots;
    return oldest !== undefined && this.now() - oldest.since < SLOW_MS;
  }

  /** Removes deliveries that have waited too long, or all of them when the receiver is unresponsive. */
  private removeOverdue(origin: string, receiver: Receiver<T>): DeferredDelivery<T>[] {
    const cutoff = this.isUnresponsive(origin) ? Infinity : this.now() - MAX_WAIT_MS;
    const firstToKeep = receiver.waiting.findIndex(({ since }) => since > cutoff);
    const removed = receiver.waiting.splice(0, firstToKeep === -1 ? Infinity : firstToKeep);
    return removed.map(({ delivery }) => ({ delivery, delayMs: this.deferNext(origin, receiver) }));
  }

  /** Milliseconds to defer the next delivery: deferred deliveries are spaced by the rate at which attempts end. */
  private deferNext(origin: string, receiver: Receiver<T>): number {
    const now = this.now();
    const [oldest] = receiver.slots;
    const durationMs = Math.max(receiver.lastDurationMs, oldest ? now - oldest.since : 0);
    const spacingMs = Math.max(MIN_SPACING_MS, durationMs / this.getMaxSlots(origin));
    receiver.nextDeferredAt = Math.max(receiver.nextDeferredAt, now + MIN_DELAY_MS) + spacingMs;
    return Math.min(Math.round(receiver.nextDeferredAt - now), MAX_DELAY_MS);
  }

  private find(origin: string): Receiver<T> {
    let receiver = this.active.get(origin);
    if (!receiver)
      this.active.set(
        origin,
        (receiver = { slots: new Set(), waiting: [], lastDurationMs: 0, nextDeferredAt: 0 }),
      );
    return receiver;
  }

  private deleteIfIdle(origin: string, { slots, waiting }: Receiver<T>): void {
    if (slots.size === 0 && waiting.length === 0) this.active.delete(origin);
  }
}
