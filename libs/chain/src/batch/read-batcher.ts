import { setMaxListeners } from 'node:events';
import { bindToTrace, boundEntries, hasFinishedWithin } from '@app/common';
import { LRUCache } from 'lru-cache';
import { type CallResult, createUnavailableResult } from '../reads/read-result.js';
import { CallResultCache } from './call-result-cache.js';
import {
  failRead,
  FairReadQueue,
  isAwaited,
  MAX_SMALL_GROUP_SIZE,
  type PendingRead,
  ReadGroup,
  type ReadWaiter,
  settleRead,
  toTenant,
} from './fair-read-queue.js';
import { groupBy } from './split-reads.js';

/** Metrics call all lanes of functions that rules chose `isolated` (evm/isolated-reads.ts). */
export type ReadLane = 'foreground' | 'background' | 'quarantine' | 'scan' | 'isolated';

/** The lanes that callers choose. */
export type RequestedLane = Extract<ReadLane, 'foreground' | 'background'>;

interface LaneLimits {
  /** Distinct calls in one batch. */
  readonly maxBatchSize: number;
  /** Concurrent batches. */
  readonly maxInFlight: number;
  /** Milliseconds that reads wait for others while the lane is busy; a lone read is sent at once. */
  readonly batchWindowMs: number;
  /** Milliseconds after which a batch is aborted, its re-reads included. */
  readonly budgetMs: number;
  /** Calls of one tenant that may wait, or of one group where groups have the turns; more are rejected. Unset: unlimited. */
  readonly maxWaiting?: number;
  /** Whether tenants have a turn each, instead of groups. */
  readonly isFairByTenant?: boolean;
}

/** A finished batch, for metrics. */
export interface LaneBatchReport {
  readonly lane: ReadLane;
  /** Distinct calls in the batch. */
  readonly reads: number;
  /** Calls without a result because of a node's failure. */
  readonly unanswered: number;
  readonly milliseconds: number;
  readonly blockNumber?: bigint;
}

/** Reads of one block that travel together. Whoever reads them settles each once, as soon as its result is known. */
export interface ReadBatch<Call> {
  readonly reads: readonly PendingRead<Call>[];
  /** The block of all these reads. Unset: the newest one. */
  readonly block: bigint | undefined;
  /** Aborts when the time of the batch is over. */
  readonly signal: AbortSignal;
  /** Gives results to everybody who waits for these reads. */
  readonly settle: (reads: readonly PendingRead<Call>[], results: readonly CallResult[]) => void;
  /** Keeps a target apart for a while, because it makes other reads fail. */
  readonly quarantine: (target: string) => void;
}

export interface ReadBatcherOptions<Call> {
  readonly foreground: Omit<LaneLimits, 'maxWaiting' | 'isFairByTenant'>;
  /** Milliseconds; 0 disables the cache. */
  readonly cacheTtlMs: number;
  /** Milliseconds that a target stays in quarantine after it last misbehaved. */
  readonly quarantineMs: number;
  /** Calls of one tenant that may wait in quarantine, instead of those of QUARANTINE_LIMITS. */
  readonly maxWaitingInQuarantine?: number;
  /** Equal for equal calls. */
  readonly toKey: (call: Call) => string;
  /** The target of a call; quarantine isolates every call with an equal target. */
  readonly toTarget: (call: Call) => string;
  /** Whether nodes search all accounts of a program for the call. Scans are slow, so nothing waits for them. */
  readonly isScan: (call: Call) => boolean;
  /** Reads distinct calls of the foreground or background lane. Rejects only on an internal error. */
  readonly readTogether: (batch: ReadBatch<Call>) => Promise<void>;
  /** Reads one scan, or one call of a target in quarantine. Rejects only on an internal error. */
  readonly readAlone: (batch: ReadBatch<Call>) => Promise<void>;
  readonly onBatch: (batch: LaneBatchReport) => void;
  readonly onCacheHits: (hits: number) => void;
  readonly onQuarantine: (targets: number) => void;
}

interface ReadOptions {
  readonly lane: RequestedLane;
  /** Reads at this block. Unset: at the newest one. */
  readonly block?: bigint;
  /** The tenant of the reads: a batch that fails is split by tenant first. Unset for reads of no tenant. */
  readonly tenantId?: string;
}

/**
 * Reads of one lane that may wait, equal ones counted each; more are rejected. Ten large checks, which bounds the memory
 * of waiting reads while nodes hang. Small groups may fill twice as much.
 */
const MAX_WAITERS = 200_000;
/**
 * A single batch at a time, so that a node is soon free for foreground reads; of full size, because providers charge
 * per call.
 */
const BACKGROUND_LIMITS = { maxInFlight: 1, batchWindowMs: 25 } as const;
/** Single reads, in turns by tenant, however many checks a tenant has. Background scans also wait for those of the foreground. */
const SCAN_LIMITS = { maxBatchSize: 1, maxInFlight: 4, batchWindowMs: 0, isFairByTenant: true } as const;
/**
 * Reads of misbehaving targets. `maxWaiting` is about what fits into a check's time budget; each tenant has its own, so that a
 * tenant which fills it leaves room for the reads of others.
 */
const QUARANTINE_LIMITS = { ...SCAN_LIMITS, maxWaiting: 512 } as const;
/** The misbehaving targets that were added least recently are forgotten beyond this. */
const MAX_QUARANTINED_TARGETS = 1_000;
/** Consecutive yields after which a lane sends its batch regardless, so that it does not starve. */
const MAX_YIELDS = 40;

const QUEUE_FULL = createUnavailableResult('too many reads are waiting');

/** Batches the reads of one chain: deduplicates them, takes turns between callers, and caches results for one block time. */
export class ReadBatcher<Call> {
  private readonly cache: CallResultCache | undefined;
  private readonly quarantined: LRUCache<string, true>;
  private reportedQuarantineSize = 0;
  private readonly foreground: Lane<Call>;
  /** A group that comes while the first background lane waits for a slow target uses the second one. */
  private readonly background: readonly [Lane<Call>, Lane<Call>];
  private readonly foregroundQuarantine: Lane<Call>;
  private readonly backgroundQuarantine: Lane<Call>;
  private readonly foregroundScans: Lane<Call>;
  private readonly backgroundScans: Lane<Call>;

  constructor(private readonly options: ReadBatcherOptions<Call>) {
    const { foreground, cacheTtlMs, quarantineMs } = options;
    const { budgetMs, maxBatchSize } = foreground;
    const { maxWaitingInQuarantine: maxWaiting = QUARANTINE_LIMITS.maxWaiting } = options;
    const quarantineLimits = { ...QUARANTINE_LIMITS, maxWaiting, budgetMs };
    this.cache = cacheTtlMs > 0 ? new CallResultCache(cacheTtlMs) : undefined;
    this.quarantined = new LRUCache({
      ...boundEntries(MAX_QUARANTINED_TARGETS),
      ttl: quarantineMs,
      ttlAutopurge: true,
      disposeAfter: () => {
        this.reportQuarantineSize();
      },
    });
    const createLane = (
      name: ReadLane,
      limits: LaneLimits,
      hooks: Partial<LaneHooks<Call>> = {},
    ): Lane<Call> =>
      new Lane<Call>(limits, { send: (reads, signal) => this.send(name, reads, signal), ...hooks });
    this.foregroundQuarantine = createLane('quarantine', quarantineLimits);
    this.backgroundQuarantine = createLane('quarantine', quarantineLimits, {
      shouldYield: () => this.foregroundQuarantine.hasWaitingReads,
    });
    this.foregroundScans = createLane('scan', { ...SCAN_LIMITS, budgetMs });
    this.backgroundScans = createLane(
      'scan',
      { ...SCAN_LIMITS, ...BACKGROUND_LIMITS, budgetMs },
      { shouldYield: () => this.foregroundScans.hasWaitingReads },
    );
    this.foreground = createLane('foreground', foreground, {
      handOver: (read) => this.handOver(read, this.foregroundScans, this.foregroundQuarantine),
    });
    const createBackgroundLane = (): Lane<Call> =>
      createLane(
        'background',
        { ...BACKGROUND_LIMITS, maxBatchSize, budgetMs },
        {
          handOver: (read) => this.handOver(read, this.backgroundScans, this.backgroundQuarantine),
          shouldYield: () => this.foreground.hasWaitingReads,
        },
      );
    this.background = [createBackgroundLane(), createBackgroundLane()];
  }

  /**
   * Collects the results of calls in their order; undefined for calls that are pending when the budget ends or the
   * signal aborts.
   */
  async collect(
    calls: readonly Call[],
    { signal, ...options }: ReadOptions & { readonly signal?: AbortSignal },
  ): Promise<readonly (CallResult | undefined)[]> {
    const group = this.read(calls, options);
    try {
      await hasFinishedWithin(this.options.foreground.budgetMs, group.complete, signal);
    } finally {
      group.isAbandoned = true;
    }
    return group.results;
  }

  /** Returns the group at once; its results come from the cache or, later, from the nodes. */
  read(calls: readonly Call[], { lane, block, tenantId }: ReadOptions): ReadGroup {
    const { cache } = this;
    const { toKey, onCacheHits } = this.options;
    const chosen = lane === 'background' ? this.chooseBackgroundLane() : this.foreground;
    const group = new ReadGroup(calls.length, tenantId);
    const now = performance.now();
    let hits = 0;
    calls.forEach((call, index) => {
      const key = block === undefined ? toKey(call) : `${toKey(call)}@${block}`;
      const cached = cache?.get(key, now);
      if (cached) {
        hits += 1;
        group.setResult(index, cached);
      } else {
        chosen.add({ call, key, block, waiter: { group, index, next: undefined } });
      }
    });
    if (hits > 0) onCacheHits(hits);
    return group;
  }

  close(): void {
    this.quarantined.clear();
  }

  private chooseBackgroundLane(): Lane<Call> {
    const [first, second] = this.background;
    return first.isIdle || !second.isIdle ? first : second;
  }

  /** Moves scans, and calls of targets in quarantine, to lanes of their own. @returns whether the read was moved */
  private handOver(read: PendingRead<Call>, scans: Lane<Call>, quarantine: Lane<Call>): boolean {
    if (this.options.isScan(read.call)) scans.add(read);
    else if (this.quarantined.size > 0 && this.quarantined.has(this.options.toTarget(read.call)))
      quarantine.add(read);
    else return false;
    return true;
  }

  /** Sends the reads of one batch, those of each block apart, because one request to a node executes at one block. */
  private async send(
    lane: ReadLane,
    reads: readonly PendingRead<Call>[],
    signal: AbortSignal,
  ): Promise<void> {
    const { readTogether, readAlone } = this.options;
    const readBatch = lane === 'foreground' || lane === 'background' ? readTogether : readAlone;
    const sent: SentBatch = { lane, size: reads.length, requestedAt: performance.now(), results: [] };
    const byBlock = groupBy(reads, ({ block }) => block);
    await Promise.all(
      byBlock.map((ofBlock) =>
        readBatch({
          reads: ofBlock,
          block: ofBlock[0]?.block,
          signal,
          settle: (settled, results) => {
            this.settle(sent, settled, results);
          },
          quarantine: (target) => {
            this.quarantined.set(target, true);
            this.reportQuarantineSize();
          },
        }),
      ),
    );
  }

  /** Metrics and cache come first, so that a caller who has a result finds both up to date. */
  private settle(sent: SentBatch, reads: readonly PendingRead<Call>[], results: readonly CallResult[]): void {
    sent.results.push(...results);
    if (sent.results.length === sent.size) this.options.onBatch(createReport(sent));
    const isPinned = reads[0]?.block !== undefined;
    this.cache?.store(
      reads.map(({ key }) => key),
      results,
      sent.requestedAt,
      isPinned,
    );
    reads.forEach((read, index) => {
      const result = results[index];
      if (result) settleRead(read, result);
    });
  }

  private reportQuarantineSize(): void {
    const { size } = this.quarantined;
    if (size === this.reportedQuarantineSize) return;
    this.reportedQuarantineSize = size;
    this.options.onQuarantine(size);
  }
}

interface SentBatch {
  readonly lane: ReadLane;
  readonly size: number;
  /** The time at which the batch was sent, by `performance.now()`. */
  readonly requestedAt: number;
  readonly results: CallResult[];
}

function createReport({ lane, results, requestedAt }: SentBatch): LaneBatchReport {
  let unanswered = 0;
  let blockNumber: bigint | undefined;
  for (const result of results) {
    if (result.kind !== 'failed') blockNumber ??= result.blockNumber;
    else if (!result.failure.permanent) unanswered += 1;
  }
  const milliseconds = performance.now() - requestedAt;
  return {
    lane,
    reads: results.length,
    unanswered,
    milliseconds,
    ...(blockNumber === undefined ? {} : { blockNumber }),
  };
}

interface LaneHooks<Call> {
  /** Settles all reads of a batch. Rejects only on an internal error. */
  readonly send: (reads: readonly PendingRead<Call>[], signal: AbortSignal) => Promise<void>;
  /** Called for each call before it is sent; true if the call now is in another lane. */
  readonly handOver?: (read: PendingRead<Call>) => boolean;
  /** Whether a lane of higher priority has waiting reads. */
  readonly shouldYield?: () => boolean;
}

/** Collects the reads of one lane into batches and sends equal calls once. */
class Lane<Call> {
  private readonly queue: FairReadQueue<Call>;
  private inFlight = 0;
  private readsInFlight = 0;
  /** Reads that were pending at the same time lately; decays by half at each flush. */
  private recentLoad = 0;
  private yields = 0;
  private flushScheduled = false;
  private windowTimer: NodeJS.Timeout | undefined;

  constructor(
    private readonly limits: LaneLimits,
    private readonly hooks: LaneHooks<Call>,
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
      settleRead(read, QUEUE_FULL);
      return;
    }
    this.queue.add(read);
    if (isNew) this.scheduleFlush();
  }

  /** Small groups may wait beyond the limit, so that large groups cannot shut them out: the queue is fair between groups. */
  private isFull({ waiter }: PendingRead<Call>, isNew: boolean): boolean {
    const isSmall = waiter.group.results.length <= MAX_SMALL_GROUP_SIZE;
    return (
      (isNew && !this.hasRoom(waiter)) || this.queue.waiterCount >= (isSmall ? 2 * MAX_WAITERS : MAX_WAITERS)
    );
  }

  /** Whether one of the waiters has room: a read that tenants share must not fail for the tenant with room. */
  private hasRoom(waiter: ReadWaiter): boolean {
    const { maxWaiting } = this.limits;
    if (maxWaiting === undefined) return true;
    for (let w: ReadWaiter | undefined = waiter; w; w = w.next)
      if (this.queue.countWaiting(w.group) < maxWaiting) return true;
    return false;
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
      const reads = this.takeBatch();
      // All remaining reads were abandoned or moved to another lane.
      if (reads.length === 0) return;
      void this.sendInTime(reads);
    }
  }

  private takeBatch(): PendingRead<Call>[] {
    const { handOver } = this.hooks;
    return this.queue.take(this.limits.maxBatchSize, (read) => isAwaited(read) && !handOver?.(read));
  }

  private async sendInTime(reads: readonly PendingRead<Call>[]): Promise<void> {
    this.inFlight += 1;
    this.readsInFlight += reads.length;
    const budget = new AbortController();
    // Every node call of the batch adds a listener; this disables Node's warning at more than ten.
    setMaxListeners(0, budget.signal);
    const timer = setTimeout(() => {
      budget.abort();
    }, this.limits.budgetMs);
    try {
      await this.hooks.send(reads, budget.signal);
    } catch (error) {
      for (const read of reads) failRead(read, error);
    } finally {
      clearTimeout(timer);
      this.inFlight -= 1;
      this.readsInFlight -= reads.length;
      if (this.queue.size > 0) this.scheduleFlush();
    }
  }
}
