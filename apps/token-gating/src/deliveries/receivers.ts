import { LRUCache } from 'lru-cache';

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
/** How long a receiver is remembered as silent when nothing is sent to it. */
const REMEMBERED_MS = 60_000;
const MOST_REMEMBERED = 20_000;

interface Receiver<T> {
  /** When the attempts under way began, the oldest first. */
  readonly begun: number[];
  readonly waiting: { readonly delivery: T; readonly since: number }[];
  lastTookMs: number;
  nextTurnAt: number;
}

/** What becomes of a delivery that wants to be sent: it goes now, later from here, or comes back after so long. */
export type Turn = 'now' | 'waits' | { readonly backInMs: number };

export interface PutBack<T> {
  readonly delivery: T;
  readonly backInMs: number;
}

export interface Ended {
  readonly tookMs: number;
  /** Whether the receiver said anything, be it an error. */
  readonly answered: boolean;
}

/**
 * How much is under way to each receiver, so that a slow one holds up nobody else: some attempts at once, some that wait
 * for them here, and for the rest a turn later on, spaced as the receiver answers. One that is silent gets one attempt at
 * a time until it answers again.
 */
export class Receivers<T> {
  private readonly busy = new Map<string, Receiver<T>>();
  private waitingHere = 0;
  private readonly silent = new LRUCache<string, true>({ max: MOST_REMEMBERED, ttl: REMEMBERED_MS });

  constructor(
    private readonly slots: number,
    private readonly now: () => number = () => performance.now(),
  ) {}

  /** How many wait for a slot, over all receivers. */
  get waiting(): number {
    return this.waitingHere;
  }

  offer(origin: string, delivery: T): Turn {
    const receiver = this.find(origin);
    if (receiver.begun.length < this.slotsOf(origin)) {
      receiver.begun.push(this.now());
      return 'now';
    }
    if (this.mayWait(origin, receiver)) {
      receiver.waiting.push({ delivery, since: this.now() });
      this.waitingHere += 1;
      return 'waits';
    }
    return { backInMs: this.turnOf(origin, receiver) };
  }

  /** An attempt has ended: what goes in its place, and what can not wait any longer. */
  free(origin: string, { tookMs, answered }: Ended): { next: T | undefined; putBack: PutBack<T>[] } {
    const receiver = this.find(origin);
    receiver.begun.shift();
    receiver.lastTookMs = tookMs;
    if (answered) this.silent.delete(origin);
    else this.silent.set(origin, true);
    const putBack = this.leave(origin, receiver);
    const next = receiver.waiting.shift()?.delivery;
    this.waitingHere -= putBack.length + (next === undefined ? 0 : 1);
    if (next !== undefined) receiver.begun.push(this.now());
    if (receiver.begun.length === 0) this.busy.delete(origin);
    return { next, putBack };
  }

  /** Takes out everything that waits. */
  clear(): PutBack<T>[] {
    const left = [...this.busy.values()].flatMap(({ waiting }) => waiting.splice(0));
    this.waitingHere = 0;
    return left.map(({ delivery }) => ({ delivery, backInMs: 0 }));
  }

  /** Takes out of the line what has waited too long, or waits for nothing. */
  private leave(origin: string, receiver: Receiver<T>): PutBack<T>[] {
    const tooOld = this.silent.has(origin) ? Infinity : this.now() - LONGEST_WAIT_MS;
    const firstToStay = receiver.waiting.findIndex(({ since }) => since > tooOld);
    const leaving = receiver.waiting.splice(0, firstToStay === -1 ? Infinity : firstToStay);
    return leaving.map(({ delivery }) => ({ delivery, backInMs: this.turnOf(origin, receiver) }));
  }

  private mayWait(origin: string, { begun, waiting }: Receiver<T>): boolean {
    if (this.silent.has(origin) || waiting.length >= this.slots * WAITING_PER_SLOT) return false;
    const [oldest] = begun;
    return oldest === undefined || this.now() - oldest < SLOW_MS;
  }

  private slotsOf(origin: string): number {
    return this.silent.has(origin) ? 1 : this.slots;
  }

  /** Milliseconds until a turn of its own: turns are as far apart as attempts end. */
  private turnOf(origin: string, receiver: Receiver<T>): number {
    const now = this.now();
    const oldest = now - (receiver.begun[0] ?? now);
    const pace = Math.max(SHORTEST_PACE_MS, Math.max(receiver.lastTookMs, oldest) / this.slotsOf(origin));
    receiver.nextTurnAt = Math.max(receiver.nextTurnAt, now + SHORTEST_TURN_MS) + pace;
    return Math.min(Math.round(receiver.nextTurnAt - now), LONGEST_TURN_MS);
  }

  private find(origin: string): Receiver<T> {
    let receiver = this.busy.get(origin);
    if (!receiver)
      this.busy.set(origin, (receiver = { begun: [], waiting: [], lastTookMs: 0, nextTurnAt: 0 }));
    return receiver;
  }
}
