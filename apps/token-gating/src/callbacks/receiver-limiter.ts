import { LRUCache } from 'lru-cache';

/** Of a receiver that has not answered yet. */
const SLOTS_OF_A_STRANGER = 2;
/** As many may wait here as have a slot, times this. */
const WAITING_PER_SLOT = 8;
/** A receiver that takes longer than this has nobody wait here: they would be many, and for long. */
const SLOW_MS = 1_000;
/** What waited longer than this goes back: its claim would end while it is sent. */
const LONGEST_WAIT_MS = 10_000;
const SHORTEST_TURN_MS = 250;
const LONGEST_TURN_MS = 60_000;
/** Of a receiver that nothing is known of yet: thousands that are due at once do not come back at once. */
const SHORTEST_PACE_MS = 1;
/** What is known of a receiver is forgotten when nothing is sent to it for so long. */
const REMEMBERED_MS = 10 * 60_000;
const MOST_REMEMBERED = 20_000;

/** One attempt's place at a receiver. */
export interface Slot {
  readonly origin: string;
  readonly since: number;
  /** Whether the receiver was known to answer. */
  readonly isTrusted: boolean;
}

interface Receiver<T> {
  /** The attempts under way, the oldest first. */
  readonly slots: Set<Slot>;
  readonly waiting: { readonly delivery: T; readonly since: number }[];
  lastTookMs: number;
  nextTurnAt: number;
}

/** What becomes of a delivery that wants to be sent: it goes now, later from here, or comes back after so long. */
export type AcquireResult = { readonly slot: Slot } | 'waits' | { readonly backInMs: number };

export interface DeferredDelivery<T> {
  readonly delivery: T;
  readonly backInMs: number;
}

export interface ReleaseResult<T> {
  readonly next: { readonly delivery: T; readonly slot: Slot } | undefined;
  readonly putBack: readonly DeferredDelivery<T>[];
}

export interface ReceiverLimiterOptions {
  /** Attempts at once at one receiver that answers. */
  readonly maxPerReceiver: number;
  /** Attempts at once at all receivers that are silent, or of which nobody knows whether they answer. */
  readonly maxUntrusted: number;
  readonly now?: () => number;
}

/**
 * How much is under way to each receiver, so that a slow one holds up nobody else: some attempts at once, some that wait
 * for them here, and for the rest a turn later on, spaced as the receiver answers. One that does not answer gets one
 * attempt at a time until it does, and all such together no more than a share.
 */
export class ReceiverLimiter<T> {
  private readonly busy = new Map<string, Receiver<T>>();
  /** When a receiver last answered; 0 for one that did not when it was asked last. */
  private readonly answers = new LRUCache<string, number>({ max: MOST_REMEMBERED, ttl: REMEMBERED_MS });
  private readonly now: () => number;
  private waitingHere = 0;
  private untrustedUnderWay = 0;

  constructor(private readonly options: ReceiverLimiterOptions) {
    this.now = options.now ?? (() => performance.now());
  }

  /** How many wait for a slot, over all receivers. */
  get waitingCount(): number {
    return this.waitingHere;
  }

  acquire(origin: string, delivery: T): AcquireResult {
    const receiver = this.find(origin);
    if (this.hasRoom(origin, receiver)) return { slot: this.take(origin, receiver) };
    if (this.mayWait(origin, receiver)) {
      receiver.waiting.push({ delivery, since: this.now() });
      this.waitingHere += 1;
      return 'waits';
    }
    const backInMs = this.turnOf(origin, receiver);
    this.forgetIdle(origin, receiver);
    return { backInMs };
  }

  /**
   * An attempt has ended: what goes in its place, and what can not wait any longer.
   * @param answered whether the receiver said anything, be it an error; undefined when it was not asked
   */
  release(slot: Slot, answered: boolean | undefined): ReleaseResult<T> {
    const { origin } = slot;
    const receiver = this.find(origin);
    receiver.slots.delete(slot);
    if (!slot.isTrusted) this.untrustedUnderWay -= 1;
    if (answered !== undefined) this.learn(slot, receiver, answered);
    const putBack = this.leave(origin, receiver);
    const first = this.hasRoom(origin, receiver) ? receiver.waiting.shift() : undefined;
    this.waitingHere -= putBack.length + (first ? 1 : 0);
    const next = first && { delivery: first.delivery, slot: this.take(origin, receiver) };
    this.forgetIdle(origin, receiver);
    return { next, putBack };
  }

  /** Takes out everything that waits. */
  clear(): DeferredDelivery<T>[] {
    const left = [...this.busy.values()].flatMap(({ waiting }) => waiting.splice(0));
    this.waitingHere = 0;
    return left.map(({ delivery }) => ({ delivery, backInMs: 0 }));
  }

  private learn({ origin, since }: Slot, receiver: Receiver<T>, answered: boolean): void {
    const now = this.now();
    // One that hangs among others that are answered says nothing of the receiver.
    if (!answered && (this.answers.get(origin) ?? 0) > since) return;
    receiver.lastTookMs = now - since;
    this.answers.set(origin, answered ? now : 0);
    if (answered) receiver.nextTurnAt = Math.min(receiver.nextTurnAt, now + SHORTEST_TURN_MS);
  }

  private take(origin: string, { slots }: Receiver<T>): Slot {
    const slot = { origin, since: this.now(), isTrusted: Boolean(this.answers.get(origin)) };
    slots.add(slot);
    if (!slot.isTrusted) this.untrustedUnderWay += 1;
    return slot;
  }

  private hasRoom(origin: string, { slots }: Receiver<T>): boolean {
    if (slots.size >= this.slotsOf(origin)) return false;
    return Boolean(this.answers.get(origin)) || this.untrustedUnderWay < this.options.maxUntrusted;
  }

  private slotsOf(origin: string): number {
    const answeredAt = this.answers.get(origin);
    if (answeredAt === undefined) return Math.min(SLOTS_OF_A_STRANGER, this.options.maxPerReceiver);
    return answeredAt === 0 ? 1 : this.options.maxPerReceiver;
  }

  private isSilent(origin: string): boolean {
    return this.answers.get(origin) === 0;
  }

  private mayWait(origin: string, { slots, waiting }: Receiver<T>): boolean {
    if (this.isSilent(origin) || waiting.length >= this.options.maxPerReceiver * WAITING_PER_SLOT)
      return false;
    const [oldest] = slots;
    return oldest !== undefined && this.now() - oldest.since < SLOW_MS;
  }

  /** Takes out of the line what has waited too long, or waits for nothing. */
  private leave(origin: string, receiver: Receiver<T>): DeferredDelivery<T>[] {
    const tooOld = this.isSilent(origin) ? Infinity : this.now() - LONGEST_WAIT_MS;
    const firstToStay = receiver.waiting.findIndex(({ since }) => since > tooOld);
    const leaving = receiver.waiting.splice(0, firstToStay === -1 ? Infinity : firstToStay);
    return leaving.map(({ delivery }) => ({ delivery, backInMs: this.turnOf(origin, receiver) }));
  }

  /** Milliseconds until a turn of its own: turns are as far apart as attempts end. */
  private turnOf(origin: string, receiver: Receiver<T>): number {
    const now = this.now();
    const [oldest] = receiver.slots;
    const takes = Math.max(receiver.lastTookMs, oldest ? now - oldest.since : 0);
    const pace = Math.max(SHORTEST_PACE_MS, takes / this.slotsOf(origin));
    receiver.nextTurnAt = Math.max(receiver.nextTurnAt, now + SHORTEST_TURN_MS) + pace;
    return Math.min(Math.round(receiver.nextTurnAt - now), LONGEST_TURN_MS);
  }

  private find(origin: string): Receiver<T> {
    let receiver = this.busy.get(origin);
    if (!receiver)
      this.busy.set(origin, (receiver = { slots: new Set(), waiting: [], lastTookMs: 0, nextTurnAt: 0 }));
    return receiver;
  }

  private forgetIdle(origin: string, { slots, waiting }: Receiver<T>): void {
    if (slots.size === 0 && waiting.length === 0) this.busy.delete(origin);
  }
}
