import { hasFinishedWithin } from '@app/common';
import { LRUCache } from 'lru-cache';
import { CallResultCache } from './call-result-cache.js';
import type { CallResult } from '../reads/read-result.js';
import { type PendingRead, ReadGroup } from './fair-read-queue.js';
import { type BatchHooks, type BatchLimits, ReadBatcher, type OnResults } from './read-batcher.js';

export type ReadLane = 'foreground' | 'background' | 'quarantine' | 'scan';

/** The lanes that callers choose. */
export type RequestedLane = Extract<ReadLane, 'foreground' | 'background'>;

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

export interface LaneReaderOptions<Call> {
  readonly foreground: Omit<BatchLimits, 'maxWaiting' | 'maxWaiters'>;
  /** Milliseconds; 0 disables the cache. */
  readonly cacheTtlMs: number;
  /** Milliseconds that a target stays in quarantine after it last misbehaved. */
  readonly quarantineMs: number;
  /** Equal for equal calls. */
  readonly toKey: (call: Call) => string;
  /** What quarantine isolates: every call with an equal target. */
  readonly toTarget: (call: Call) => string;
  /** Calls for which nodes search all accounts of a program: none. They are slow, so nothing waits for them. */
  readonly isScan?: (call: Call) => boolean;
  /** Reads distinct calls of the foreground and background lanes. */
  readonly readTogether: ReadCalls<Call>;
  /** Reads one scan, or one call of a target in quarantine. */
  readonly readAlone: ReadCalls<Call>;
  readonly onBatch: (batch: LaneBatchReport) => void;
  readonly onCacheHits: (hits: number) => void;
  readonly onQuarantine: (targets: number) => void;
}

interface LaneReadOptions {
  readonly lane: RequestedLane;
  /** Reads at this block. Unset: at the newest one. */
  readonly block?: bigint;
  /** The tenant of the reads: a batch that fails is split by tenant first. Unset for reads of no tenant. */
  readonly tenantId?: string;
}

/** Rejects only on an internal error. Call `onMisbehavior` for each target that makes other reads fail. */
export type ReadCalls<Call> = (
  reads: readonly PendingRead<Call>[],
  options: {
    readonly signal: AbortSignal;
    /** The block of all these reads. Unset: the newest one. */
    readonly block: bigint | undefined;
    readonly onMisbehavior: (target: string) => void;
    readonly onResults: Parameters<BatchHooks<Call>['read']>[2];
  },
) => Promise<void>;

/** Ten large checks. Bounds the memory of waiting reads while nodes hang. */
const MAX_WAITERS = 200_000;
/**
 * A single batch at a time, so that a node is soon free for foreground reads; of full size, because providers charge
 * per call.
 */
const BACKGROUND_LIMITS = { maxInFlight: 1, batchWindowMs: 25, maxWaiters: MAX_WAITERS } as const;
/** Single reads of misbehaving targets; `maxWaiting` is about what fits into a check's time budget. */
const QUARANTINE_LIMITS = {
  maxBatchSize: 1,
  maxInFlight: 4,
  batchWindowMs: 0,
  maxWaiting: 512,
  maxWaiters: MAX_WAITERS,
} as const;
/** Single reads, in turns by tenant. Background scans also wait for those of the foreground. */
const SCAN_LIMITS = {
  maxBatchSize: 1,
  maxInFlight: 4,
  batchWindowMs: 0,
  maxWaiters: MAX_WAITERS,
  isFairByTenant: true,
} as const;

/** The lanes, the cache and the quarantine of one chain. */
export class LaneReader<Call> {
  private readonly cache: CallResultCache | undefined;
  private readonly quarantine: QuarantineStore;
  private readonly foreground: ReadBatcher<Call>;
  /** A group that comes while the first one waits for a slow target uses the second one. */
  private readonly background: readonly [ReadBatcher<Call>, ReadBatcher<Call>];

  constructor(private readonly options: LaneReaderOptions<Call>) {
    const { foreground: foregroundLimits, cacheTtlMs, quarantineMs, toTarget } = options;
    const { budgetMs, maxBatchSize } = foregroundLimits;
    this.cache = cacheTtlMs > 0 ? new CallResultCache(cacheTtlMs) : undefined;
    this.quarantine = new QuarantineStore(quarantineMs, options.onQuarantine);
    const quarantined = new ReadBatcher<Call>(
      { ...QUARANTINE_LIMITS, budgetMs },
      this.createHooks('quarantine', options.readAlone),
    );
    const scanHooks = this.createHooks('scan', options.readAlone);
    const foregroundScans = new ReadBatcher<Call>({ ...SCAN_LIMITS, budgetMs }, scanHooks);
    const backgroundScans = new ReadBatcher<Call>(
      { ...SCAN_LIMITS, ...BACKGROUND_LIMITS, budgetMs },
      { ...scanHooks, shouldYield: () => foregroundScans.hasWaitingReads },
    );
    const createTakeOver =
      (scans: ReadBatcher<Call>) =>
      (read: PendingRead<Call>): boolean => {
        if (options.isScan?.(read.call)) scans.add(read);
        else if (this.quarantine.has(toTarget(read.call))) quarantined.add(read);
        else return false;
        return true;
      };
    const foreground = new ReadBatcher<Call>(
      { ...foregroundLimits, maxWaiters: MAX_WAITERS },
      {
        ...this.createHooks('foreground', options.readTogether),
        takeOver: createTakeOver(foregroundScans),
      },
    );
    const createBackground = (): ReadBatcher<Call> =>
      new ReadBatcher<Call>(
        { ...BACKGROUND_LIMITS, maxBatchSize, budgetMs },
        {
          ...this.createHooks('background', options.readTogether),
          takeOver: createTakeOver(backgroundScans),
          shouldYield: () => foreground.hasWaitingReads,
        },
      );
    this.foreground = foreground;
    this.background = [createBackground(), createBackground()];
  }

  /**
   * Collects the results of calls in their order; undefined for calls that are pending when the budget ends or the
   * signal aborts.
   */
  async collect(
    calls: readonly Call[],
    { signal, ...options }: LaneReadOptions & { readonly signal?: AbortSignal },
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
  read(calls: readonly Call[], { lane, block, tenantId }: LaneReadOptions): ReadGroup {
    const { cache } = this;
    const { toKey, onCacheHits } = this.options;
    const batcher = lane === 'background' ? this.chooseBackgroundLane() : this.foreground;
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
        batcher.add({ call, key, block, waiter: { group, index, next: undefined } });
      }
    });
    if (hits > 0) onCacheHits(hits);
    return group;
  }

  close(): void {
    this.quarantine.clear();
  }

  private chooseBackgroundLane(): ReadBatcher<Call> {
    const [first, second] = this.background;
    return first.isIdle || !second.isIdle ? first : second;
  }

  private createHooks(lane: ReadLane, readCalls: ReadCalls<Call>): BatchHooks<Call> {
    const onMisbehavior = (target: string): void => {
      this.quarantine.add(target);
    };
    return {
      read: async (reads, signal, onResults) => {
        if (reads.every(({ block }) => block === undefined))
          return readCalls(reads, { signal, block: undefined, onResults, onMisbehavior });
        await Promise.all(
          splitByBlock(reads, onResults).map(({ reads: part, ...ofPart }) =>
            readCalls(part, { signal, onMisbehavior, ...ofPart }),
          ),
        );
      },
      storeResults: (keys, results, requestedAt, isPinned) =>
        this.cache?.store(keys, results, requestedAt, isPinned),
      onBatch: (results, requestedAt) => {
        this.options.onBatch(createBatchReport(lane, results, requestedAt));
      },
    };
  }
}

function createBatchReport(
  lane: ReadLane,
  results: readonly CallResult[],
  requestedAt: number,
): LaneBatchReport {
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

/** The least recently added targets are evicted beyond this. */
const MAX_TARGETS = 1_000;

/** The misbehaving targets of one chain (contracts, owners), each until `ttlMs` after it last misbehaved. `onChange` receives their number. */
class QuarantineStore {
  private readonly targets: LRUCache<string, true>;
  private reportedSize = 0;

  constructor(
    ttlMs: number,
    private readonly onChange: (targets: number) => void,
  ) {
    this.targets = new LRUCache({
      max: MAX_TARGETS,
      ttl: ttlMs,
      ttlAutopurge: true,
      disposeAfter: () => {
        this.reportSize();
      },
    });
  }

  add(target: string): void {
    this.targets.set(target, true);
    this.reportSize();
  }

  has(target: string): boolean {
    return this.targets.size > 0 && this.targets.has(target);
  }

  clear(): void {
    this.targets.clear();
  }

  private reportSize(): void {
    if (this.targets.size === this.reportedSize) return;
    this.reportedSize = this.targets.size;
    this.onChange(this.reportedSize);
  }
}

/** The reads of a batch at one block. */
interface BlockReads<Call> {
  /** Unset: the newest block. */
  readonly block: bigint | undefined;
  readonly reads: PendingRead<Call>[];
  /** Takes positions in `reads`. */
  readonly onResults: OnResults;
}

/**
 * Splits a batch by block, because one request to a node executes at one block.
 * @param onResults takes positions in `batch`
 */
function splitByBlock<Call>(batch: readonly PendingRead<Call>[], onResults: OnResults): BlockReads<Call>[] {
  const byBlock = new Map<bigint | undefined, BlockReads<Call> & { readonly positions: number[] }>();
  batch.forEach((read, position) => {
    const { block } = read;
    let part = byBlock.get(block);
    if (!part) {
      const positions: number[] = [];
      const onPartResults: OnResults = (indices, results) => {
        onResults(
          indices.map((index) => positions[index] ?? -1),
          results,
        );
      };
      byBlock.set(block, (part = { block, reads: [], positions, onResults: onPartResults }));
    }
    part.reads.push(read);
    part.positions.push(position);
  });
  return Array.from(byBlock.values(), ({ block, reads, onResults: onPartResults }) => ({
    block,
    reads,
    onResults: onPartResults,
  }));
}
