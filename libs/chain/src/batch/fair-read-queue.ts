import type { CallResult } from '../reads/read-result.js';

/** The reads of one caller and their results so far, behind one promise. */
export class ReadGroup {
  /** Results in the order of the reads; undefined while the read is pending. */
  readonly results: (CallResult | undefined)[];
  /** Resolves when every read has a result; rejects on an internal error. */
  readonly complete: Promise<void>;
  pendingCount: number;
  /** Whether the caller has stopped waiting. */
  isAbandoned = false;
  private resolve!: () => void;
  private reject!: (error: unknown) => void;

  constructor(
    size: number,
    /** Unset for reads of no tenant. */
    readonly tenantId?: string,
  ) {
    this.results = new Array<CallResult | undefined>(size).fill(undefined);
    this.pendingCount = size;
    this.complete = new Promise((resolve, reject) => {
      this.resolve = resolve;
      this.reject = reject;
    });
    // A rejection after the caller has stopped waiting must not become an unhandled rejection.
    this.complete.catch(() => undefined);
    if (size === 0) this.resolve();
  }

  setResult(index: number, result: CallResult): void {
    this.results[index] = result;
    this.pendingCount -= 1;
    if (this.pendingCount === 0) this.resolve();
  }

  fail(error: unknown): void {
    this.reject(error);
  }
}

/** A call, sent once for all reads that wait for it. */
export interface PendingRead<Call> {
  readonly call: Call;
  /** Equal for equal calls at the same block. */
  readonly key: string;
  /** Unset: the newest block. */
  readonly block: bigint | undefined;
  /** The latest read that waits for it, linked to the others. */
  readonly waiter: ReadWaiter;
}

/** An entry of one queue; a read that moves to another lane gets a new entry there. */
interface QueuedRead<Call> extends PendingRead<Call> {
  waiter: ReadWaiter;
  waiterCount: number;
  /** The entry may stand in the queues of several groups; the first one to have its turn takes it for all. */
  taken: boolean;
}

export interface ReadWaiter {
  readonly group: ReadGroup;
  readonly index: number;
  readonly next: ReadWaiter | undefined;
}

/** The reads of one group, or of one tenant, in their order. */
interface GroupQueue<Call> {
  readonly reads: QueuedRead<Call>[];
  head: number;
}

/** Gives a result to every read that waits for the call. */
export function settleRead({ waiter }: PendingRead<unknown>, result: CallResult): void {
  for (let w: ReadWaiter | undefined = waiter; w; w = w.next) w.group.setResult(w.index, result);
}

/** Rejects for every read that waits for the call, after an internal error. */
export function failRead({ waiter }: PendingRead<unknown>, error: unknown): void {
  for (let w: ReadWaiter | undefined = waiter; w; w = w.next) w.group.fail(error);
}

/** Whether a caller still waits for the call. */
export function isAwaited({ waiter }: PendingRead<unknown>): boolean {
  for (let w: ReadWaiter | undefined = waiter; w; w = w.next) if (!w.group.isAbandoned) return true;
  return false;
}

/** A group of at most this size is never split: in two batches it would wait for the slower one. */
export const MAX_SMALL_GROUP_SIZE = 16;

/** The owner of a turn: reads with the same share have a turn together. */
type Share = ReadGroup | string;

const toGroup = (group: ReadGroup): Share => group;
/**
 * Makes a tenant the owner of a turn, for calls that cannot be batched: otherwise a tenant with many requests would
 * have most turns.
 */
export const toTenant = (group: ReadGroup): Share => group.tenantId ?? group;

/** Deduplicates waiting calls and takes them round-robin by group, so that a large group does not delay the others. */
export class FairReadQueue<Call> {
  private readonly byKey = new Map<string, QueuedRead<Call>>();
  /** Queues of groups, in the order of their turns. */
  private readonly groupQueues = new Map<Share, GroupQueue<Call>>();
  private totalWaiters = 0;
  private latest: { readonly share: Share; readonly queue: GroupQueue<Call> } | undefined;

  constructor(private readonly toShare = toGroup) {}

  /** Distinct calls. */
  get size(): number {
    return this.byKey.size;
  }

  /** Calls in the queue of the group, or of its tenant; calls that another one has taken meanwhile are still counted. */
  countWaiting(group: ReadGroup): number {
    const queue = this.groupQueues.get(this.toShare(group));
    return queue ? queue.reads.length - queue.head : 0;
  }

  /** Waiting reads; equal ones are counted each. */
  get waiterCount(): number {
    return this.totalWaiters;
  }

  has(key: string): boolean {
    return this.byKey.has(key);
  }

  /**
   * Adds a read with its waiters, joining an equal call that is queued already. A group adds all its reads in one go, so if
   * it has added this call before, it was the last to do so: comparing with the latest group avoids a second entry.
   */
  add({ call, key, block, waiter }: PendingRead<Call>): void {
    const existing = this.byKey.get(key);
    const queued: QueuedRead<Call> = existing ?? { call, key, block, waiter, waiterCount: 0, taken: false };
    if (!existing) this.byKey.set(key, queued);
    let latestGroup = existing?.waiter.group;
    for (let w: ReadWaiter | undefined = waiter; w; w = w.next) {
      const { group, index } = w;
      if (group !== latestGroup) this.getGroupQueue(group).push(queued);
      latestGroup = group;
      if (existing) existing.waiter = { group, index, next: existing.waiter };
      queued.waiterCount += 1;
      this.totalWaiters += 1;
    }
  }

  /** Removes and returns at most `maxCount` calls that `accept` accepts; calls that it rejects are removed too. */
  take(maxCount: number, accept: (read: PendingRead<Call>) => boolean): PendingRead<Call>[] {
    const taken: PendingRead<Call>[] = [];
    if (this.byKey.size <= maxCount) {
      for (const read of this.byKey.values()) {
        read.taken = true;
        if (accept(read)) taken.push(read);
      }
      this.byKey.clear();
      this.totalWaiters = 0;
      this.groupQueues.clear();
      this.latest = undefined;
    }
    while (taken.length < maxCount && this.groupQueues.size > 0) this.takeRound(maxCount, accept, taken);
    return taken;
  }

  /** Gives each group one turn. */
  private takeRound(
    maxCount: number,
    accept: (read: PendingRead<Call>) => boolean,
    taken: PendingRead<Call>[],
  ): void {
    const share = Math.max(1, Math.floor((maxCount - taken.length) / this.groupQueues.size));
    const turns = [...this.groupQueues];
    for (const [owner, queue] of turns) {
      if (taken.length === maxCount) return;
      const { reads } = queue;
      const remaining = reads.length - queue.head;
      const until = Math.min(
        maxCount,
        taken.length + (remaining <= MAX_SMALL_GROUP_SIZE ? remaining : share),
      );
      this.groupQueues.delete(owner);
      while (taken.length < until && queue.head < reads.length) {
        const read = reads[queue.head];
        queue.head += 1;
        if (!read || read.taken) continue;
        read.taken = true;
        this.byKey.delete(read.key);
        this.totalWaiters -= read.waiterCount;
        if (accept(read)) taken.push(read);
      }
      if (queue.head < reads.length) this.groupQueues.set(owner, queue);
      else if (this.latest?.share === owner) this.latest = undefined;
    }
  }

  private getGroupQueue(group: ReadGroup): QueuedRead<Call>[] {
    const share = this.toShare(group);
    if (this.latest?.share === share) return this.latest.queue.reads;
    let queue = this.groupQueues.get(share);
    if (!queue) this.groupQueues.set(share, (queue = { reads: [], head: 0 }));
    this.latest = { share, queue };
    return queue.reads;
  }
}
