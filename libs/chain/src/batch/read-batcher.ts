import { setMaxListeners } from 'node:events';
import { bindToTrace } from '@app/common';
import { type CallResult, createUnavailableResult } from '../reads/read-result.js';
import {
  FairReadQueue,
  MAX_SMALL_GROUP_SIZE,
  type PendingRead,
  type ReadWaiter,
  toTenant,
} from './fair-read-queue.js';

export interface BatchLimits {
  /** Distinct calls in one batch. */
  readonly maxBatchSize: number;
  /** Concurrent batches. */
  readonly maxInFlight: number;
  /** Milliseconds that reads wait for others while the lane is busy; a lone read is sent at once. */
  readonly batchWindowMs: number;
  /** Milliseconds after which a batch is aborted, its re-reads included. */
  readonly budgetMs: number;
  /** Distinct calls that may wait; more are rejected. Unset: unlimited. */
  readonly maxWaiting?: number;
  /** Reads that may wait, equal ones counted each; more are rejected. Small groups may fill twice as much. */
  readonly maxWaiters: number;
  /** Whether tenants have a turn each, instead of groups. */
  readonly isFairByTenant?: boolean;
}

/** Receives some results of a batch as soon as they are known; `indices` are the positions of their calls. */
export type OnResults = (indices: readonly number[], results: readonly CallResult[]) => void;

export interface BatchHooks<Call> {
  /** Passes one result per read to `onResults`, those of different blocks separately. Rejects only on an internal error. */
  readonly read: (
    reads: readonly PendingRead<Call>[],
    signal: AbortSignal,
    onResults: OnResults,
  ) => Promise<void>;
  /**
   * Called before results are delivered. `requestedAt` is when their batch was sent, by `performance.now()`; `isPinned`
   * says that the reads name their block.
   */
  readonly storeResults: (
    keys: readonly string[],
    results: readonly CallResult[],
    requestedAt: number,
    isPinned: boolean,
  ) => void;
  /** Called once per batch, when its last results are known and before they are delivered. */
  readonly onBatch: (results: readonly CallResult[], requestedAt: number) => void;
  /** Called for each call before it is sent; true if another lane has taken it over. */
  readonly takeOver?: (read: PendingRead<Call>) => boolean;
  /** Whether a lane of higher priority has waiting reads. */
  readonly shouldYield?: () => boolean;
}

/** Consecutive yields after which a lane sends its batch regardless, so that it does not starve. */
const MAX_YIELDS = 40;

/** Collects the reads of one lane into batches and sends equal calls once. */
export class ReadBatcher<Call> {
  private readonly queue: FairReadQueue<Call>;
  private inFlight = 0;
  private readsInFlight = 0;
  /** Reads that were pending at the same time lately; decays by half at each flush. */
  private recentLoad = 0;
  private yields = 0;
  private flushScheduled = false;
  private windowTimer: NodeJS.Timeout | undefined;

  constructor(
    private readonly limits: BatchLimits,
    private readonly hooks: BatchHooks<Call>,
  ) {
    this.queue = new FairReadQueue(limits.isFairByTenant ? toTenant : undefined);
  }

  get hasWaitingReads(): boolean {
    return this.queue.size > 0;
  }

  get isIdle(): boolean {
    return this.inFlight === 0 && !this.hasWaitingReads;
  }

  /** Adds a new read, or one that another lane has handed over. */
  add(read: PendingRead<Call>): void {
    const isNew = !this.queue.has(read.key);
    if (this.isFull(read, isNew)) {
      deliver(read, queueFullResult);
      return;
    }
    this.queue.add(read);
    if (isNew) this.scheduleFlush();
  }

  /** Small groups may wait beyond the limit, so that large groups cannot shut them out: the queue is fair between groups. */
  private isFull({ waiter }: PendingRead<Call>, isNew: boolean): boolean {
    const { maxWaiting = Infinity, maxWaiters } = this.limits;
    const isSmall = waiter.group.results.length <= MAX_SMALL_GROUP_SIZE;
    return (
      (isNew && this.queue.size >= maxWaiting) ||
      this.queue.waiterCount >= (isSmall ? 2 * maxWaiters : maxWaiters)
    );
  }

  /**
   * Sends at the end of the current tick when the lane is idle. While a batch is in flight, or after a recent load
   * peak, more reads are likely to come, so it waits for the batch window.
   */
  private scheduleFlush(): void {
    const { size } = this.queue;
    const isIdle = this.inFlight === 0 && size >= this.recentLoad / 2;
    if (size >= this.limits.maxBatchSize || isIdle) this.flushAfterTick();
    else this.flushAfterWindow();
  }

  private flushAfterTick(): void {
    if (this.flushScheduled) return;
    this.flushScheduled = true;
    setImmediate(
      bindToTrace(() => {
        this.flushScheduled = false;
        this.flush();
      }),
    );
  }

  private flushAfterWindow(): void {
    this.windowTimer ??= setTimeout(
      bindToTrace(() => {
        this.flush();
      }),
      this.limits.batchWindowMs,
    );
  }

  private flush(): void {
    clearTimeout(this.windowTimer);
    this.windowTimer = undefined;
    if (this.queue.size > 0 && this.yields < MAX_YIELDS && this.hooks.shouldYield?.()) {
      this.yields += 1;
      this.flushAfterWindow();
      return;
    }
    this.yields = 0;
    this.recentLoad = Math.max(this.recentLoad / 2, this.readsInFlight + this.queue.size);
    while (this.queue.size > 0 && this.inFlight < this.limits.maxInFlight) {
      const batch = this.takeBatch();
      // All remaining reads were abandoned or taken over by another lane.
      if (batch.length === 0) return;
      void this.run(batch);
    }
  }

  private takeBatch(): PendingRead<Call>[] {
    const { takeOver } = this.hooks;
    return this.queue.take(this.limits.maxBatchSize, (read) => hasActiveWaiter(read) && !takeOver?.(read));
  }

  private async run(batch: readonly PendingRead<Call>[]): Promise<void> {
    this.inFlight += 1;
    this.readsInFlight += batch.length;
    const requestedAt = performance.now();
    const budget = new AbortController();
    // Every node call of the batch adds a listener; this disables Node's warning at more than ten.
    setMaxListeners(0, budget.signal);
    const timer = setTimeout(() => {
      budget.abort();
    }, this.limits.budgetMs);
    try {
      const allResults: CallResult[] = [];
      await this.hooks.read(batch, budget.signal, (indices, results) => {
        allResults.push(...results);
        if (allResults.length === batch.length) this.hooks.onBatch(allResults, requestedAt);
        this.deliverAll(batch, indices, results, requestedAt);
      });
    } catch (error) {
      for (const { waiter } of batch)
        for (let w: ReadWaiter | undefined = waiter; w; w = w.next) w.group.fail(error);
    } finally {
      clearTimeout(timer);
      this.inFlight -= 1;
      this.readsInFlight -= batch.length;
      if (this.queue.size > 0) this.scheduleFlush();
    }
  }

  private deliverAll(
    batch: readonly PendingRead<Call>[],
    indices: readonly number[],
    results: readonly CallResult[],
    requestedAt: number,
  ): void {
    const keys = indices.map((index) => batch[index]?.key ?? '');
    const isPinned = batch[indices[0] ?? -1]?.block !== undefined;
    this.hooks.storeResults(keys, results, requestedAt, isPinned);
    indices.forEach((index, at) => {
      const read = batch[index];
      const result = results[at];
      if (read && result) deliver(read, result);
    });
  }
}

const queueFullResult = createUnavailableResult('too many reads are waiting');

function deliver({ waiter }: PendingRead<unknown>, result: CallResult): void {
  for (let w: ReadWaiter | undefined = waiter; w; w = w.next) w.group.setResult(w.index, result);
}

function hasActiveWaiter({ waiter }: PendingRead<unknown>): boolean {
  for (let w: ReadWaiter | undefined = waiter; w; w = w.next) if (!w.group.isAbandoned) return true;
  return false;
}
