import { CallResultCache } from '../../shared/call-result-cache.js';
import { type BatchHooks, type BatchLimits, ReadBatcher } from '../../shared/read-batcher.js';
import { type ReadCall } from '../codec/contract-read.js';
import { type EthCallClient } from '../nodes/eth-call-client.js';
import { type CallResult } from '../../shared/call-result.js';
import { readBatch, readQuarantinedCall } from './read-batch.js';
import { QuarantineStore } from '../../shared/quarantine-store.js';
import { ReadGroup } from '../../shared/read-group.js';
import { type PendingRead } from '../../shared/fair-read-queue.js';

export type ReadLane = 'foreground' | 'background' | 'quarantine';

/** One finished batch, for metrics. */
export interface LaneBatchReport {
  readonly lane: ReadLane;
  /** Distinct calls in the batch. */
  readonly reads: number;
  /** Calls without a result because of a node's failure. */
  readonly unanswered: number;
  readonly milliseconds: number;
  readonly blockNumber?: bigint;
}

export interface ChainReaderOptions {
  readonly ethCallClient: EthCallClient;
  readonly foreground: Omit<BatchLimits, 'maxWaiting' | 'maxWaiters'>;
  /** Milliseconds; 0 disables the cache. */
  readonly cacheTtlMs: number;
  /** Milliseconds that a contract stays in quarantine after it last misbehaved. */
  readonly quarantineMs: number;
  readonly onBatch: (batch: LaneBatchReport) => void;
  readonly onCacheHits: (hits: number) => void;
  readonly onQuarantine: (contracts: number) => void;
}

/** Ten large checks. Bounds the memory of waiting reads while nodes hang. */
const MAX_WAITERS = 200_000;
/** One batch at a time, so that a node is soon free for foreground reads; of full size, because providers charge per call. */
const BACKGROUND_LIMITS = { maxInFlight: 1, batchWindowMs: 25, maxWaiters: MAX_WAITERS } as const;
/** Single reads of misbehaving contracts; `maxWaiting` is about what fits into a check's time budget. */
const QUARANTINE_LIMITS = {
  maxBatchSize: 1,
  maxInFlight: 4,
  batchWindowMs: 0,
  maxWaiting: 512,
  maxWaiters: MAX_WAITERS,
} as const;

/** The lanes, the cache and the quarantine of one chain. */
export class ChainReader {
  private readonly cache: CallResultCache | undefined;
  private readonly quarantine: QuarantineStore;
  private readonly foreground: ReadBatcher<ReadCall>;
  /** A group that comes while the first one waits for a slow contract uses the second one. */
  private readonly background: readonly [ReadBatcher<ReadCall>, ReadBatcher<ReadCall>];

  constructor(private readonly options: ChainReaderOptions) {
    const { ethCallClient, foreground: foregroundLimits, cacheTtlMs, quarantineMs } = options;
    const { budgetMs, maxBatchSize } = foregroundLimits;
    this.cache = cacheTtlMs > 0 ? new CallResultCache(cacheTtlMs) : undefined;
    this.quarantine = new QuarantineStore(quarantineMs, options.onQuarantine);
    const onMisbehavingContract = this.quarantine.add.bind(this.quarantine);
    const readTogether: BatchHooks<ReadCall>['read'] = (pending, signal, onResults) => {
      const reads = pending.map(({ call: { to, data }, waiter }) => ({ to, data, group: waiter.group }));
      return readBatch(reads, { ethCallClient, signal, onMisbehavingContract, onResults });
    };
    const readAlone: BatchHooks<ReadCall>['read'] = async ([pending], signal, onResults) => {
      if (pending)
        await readQuarantinedCall(pending.call, { ethCallClient, signal, onMisbehavingContract, onResults });
    };
    const createHooks = (lane: ReadLane): Pick<BatchHooks<ReadCall>, 'storeResults' | 'onBatch'> => ({
      storeResults: (keys, results, requestedAt) => this.cache?.store(keys, results, requestedAt),
      onBatch: (results, requestedAt) => {
        options.onBatch(createBatchReport(lane, results, requestedAt));
      },
    });
    const quarantined = new ReadBatcher<ReadCall>(
      { ...QUARANTINE_LIMITS, budgetMs },
      { read: readAlone, ...createHooks('quarantine') },
    );
    const takeOver = (read: PendingRead<ReadCall>): boolean => {
      if (!this.quarantine.has(read.call.to)) return false;
      quarantined.add(read);
      return true;
    };
    const foreground = new ReadBatcher<ReadCall>(
      { ...foregroundLimits, maxWaiters: MAX_WAITERS },
      { read: readTogether, ...createHooks('foreground'), takeOver },
    );
    const createBackground = (): ReadBatcher<ReadCall> =>
      new ReadBatcher<ReadCall>(
        { ...BACKGROUND_LIMITS, maxBatchSize, budgetMs },
        {
          read: readTogether,
          ...createHooks('background'),
          takeOver,
          shouldYield: () => foreground.hasWaitingReads,
        },
      );
    this.foreground = foreground;
    this.background = [createBackground(), createBackground()];
  }

  /** Returns the group at once; its results come from the cache or, later, from the nodes. */
  read(reads: readonly ReadCall[], lane: Exclude<ReadLane, 'quarantine'>): ReadGroup {
    const { cache } = this;
    const batcher = lane === 'background' ? this.chooseBackgroundLane() : this.foreground;
    const group = new ReadGroup(reads.length);
    const now = performance.now();
    let hits = 0;
    reads.forEach((call, index) => {
      const key = call.to + call.data;
      const cached = cache?.get(key, now);
      if (cached) {
        hits += 1;
        group.setResult(index, cached);
      } else {
        batcher.add({ call, key, waiter: { group, index, next: undefined } });
      }
    });
    if (hits > 0) this.options.onCacheHits(hits);
    return group;
  }

  private chooseBackgroundLane(): ReadBatcher<ReadCall> {
    const [first, second] = this.background;
    return first.isIdle || !second.isIdle ? first : second;
  }

  close(): void {
    this.quarantine.clear();
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
