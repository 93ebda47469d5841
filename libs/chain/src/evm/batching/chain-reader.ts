import { type ReadCall } from '../nodes/aggregate-request.js';
import { CallResultCache } from '../../shared/call-result-cache.js';
import { type BatchHooks, type BatchLimits, ReadBatcher } from '../../shared/read-batcher.js';
import { type EthCallClient } from '../nodes/eth-call-client.js';
import { type CallResult } from '../../shared/call-result.js';
import { readBatch, readQuarantinedCall } from './read-batch.js';
import { QuarantineStore } from './quarantine-store.js';
import { ReadGroup } from '../../shared/read-group.js';
import { type PendingRead } from '../../shared/fair-read-queue.js';

export type ReadLane = 'foreground' | 'background' | 'quarantine';

/** One finished chunk, for metrics. */
export interface LaneBatchReport {
  readonly lane: ReadLane;
  /** Distinct calls in it. */
  readonly reads: number;
  /** Those without an answer through a node's fault. */
  readonly unanswered: number;
  readonly milliseconds: number;
  readonly blockNumber?: bigint;
}

export interface ChainReaderOptions {
  readonly ethCallClient: EthCallClient;
  readonly foreground: Omit<BatchLimits, 'maxWaiting' | 'maxWaiters'>;
  /** Milliseconds that an answer may be given out again for; 0 for not at all. */
  readonly cacheTtlMs: number;
  /** Milliseconds that a contract stays by itself after it hurt others. */
  readonly quarantineMs: number;
  readonly onBatch: (chunk: LaneBatchReport) => void;
  readonly onCacheHits: (hits: number) => void;
  readonly onQuarantine: (contracts: number) => void;
}

/** Ten large checks; while nodes hang, who waits takes memory. */
const MAX_WAITERS = 200_000;
/** One chunk at a time: the node is soon free again for who waits. As large as others, because nodes are paid by the call. */
const BACKGROUND_LIMITS = { maxInFlight: 1, batchWindowMs: 25, maxWaiters: MAX_WAITERS } as const;
/** Reads that burn, flood or take the time, a few at a time; more than fit a check's budget need not wait. */
const QUARANTINE_LIMITS = {
  maxBatchSize: 1,
  maxInFlight: 4,
  batchWindowMs: 0,
  maxWaiting: 512,
  maxWaiters: MAX_WAITERS,
} as const;

/** The ways on which reads of one chain reach its nodes, and what is remembered of them. */
export class ChainReader {
  private readonly cache: CallResultCache | undefined;
  private readonly quarantine: QuarantineStore;
  private readonly lanes: Readonly<Record<Exclude<ReadLane, 'quarantine'>, ReadBatcher>>;

  constructor(private readonly options: ChainReaderOptions) {
    const { ethCallClient, foreground, cacheTtlMs, quarantineMs } = options;
    const { budgetMs, maxBatchSize } = foreground;
    this.cache = cacheTtlMs > 0 ? new CallResultCache(cacheTtlMs) : undefined;
    this.quarantine = new QuarantineStore(quarantineMs, options.onQuarantine);
    const onOffender = this.quarantine.add.bind(this.quarantine);
    const together: BatchHooks['read'] = (questions, signal, onAnswers) => {
      const reads = questions.map(({ call: { to, data }, waiter }) => ({ to, data, group: waiter.group }));
      return readBatch(reads, {
        ethCallClient: ethCallClient,
        signal,
        onMisbehavingContract: onOffender,
        onResults: onAnswers,
      });
    };
    const alone: BatchHooks['read'] = async ([question], signal, onAnswers) => {
      if (question)
        await readQuarantinedCall(question.call, {
          ethCallClient: ethCallClient,
          signal,
          onMisbehavingContract: onOffender,
          onResults: onAnswers,
        });
    };
    const hooksOf = (lane: ReadLane): Pick<BatchHooks, 'storeResults' | 'onBatch'> => ({
      storeResults: (keys, answers, askedAt) => this.cache?.store(keys, answers, askedAt),
      onBatch: (answers, askedAt) => {
        options.onBatch(createBatchReport(lane, answers, askedAt));
      },
    });
    const quarantined = new ReadBatcher(
      { ...QUARANTINE_LIMITS, budgetMs },
      { read: alone, ...hooksOf('quarantine') },
    );
    const takeOver = (question: PendingRead): boolean => {
      if (!this.quarantine.has(question.call.to)) return false;
      quarantined.add(question);
      return true;
    };
    const first = new ReadBatcher(
      { ...foreground, maxWaiters: MAX_WAITERS },
      {
        read: together,
        ...hooksOf('foreground'),
        takeOver,
      },
    );
    const second = new ReadBatcher(
      { ...BACKGROUND_LIMITS, maxBatchSize, budgetMs },
      {
        read: together,
        ...hooksOf('background'),
        takeOver,
        shouldYield: () => first.hasWaitingReads,
      },
    );
    this.lanes = { foreground: first, background: second };
  }

  /** Sends the reads on their way; the group hears of the answers. */
  read(reads: readonly ReadCall[], lane: Exclude<ReadLane, 'quarantine'>): ReadGroup {
    const { cache } = this;
    const batcher = this.lanes[lane];
    const group = new ReadGroup(reads.length);
    const now = performance.now();
    let hits = 0;
    reads.forEach((read, index) => {
      const key = read.to + read.data;
      const kept = cache?.get(key, now);
      if (kept) {
        hits += 1;
        group.setResult(index, kept);
      } else {
        batcher.add({ call: read, key, waiter: { group, index, next: undefined } });
      }
    });
    if (hits > 0) this.options.onCacheHits(hits);
    return group;
  }

  close(): void {
    this.quarantine.clear();
  }
}

function createBatchReport(lane: ReadLane, answers: readonly CallResult[], askedAt: number): LaneBatchReport {
  let unanswered = 0;
  let blockNumber: bigint | undefined;
  for (const answer of answers) {
    if (answer.kind !== 'failed') blockNumber ??= answer.blockNumber;
    else if (!answer.failure.permanent) unanswered += 1;
  }
  const milliseconds = performance.now() - askedAt;
  return {
    lane,
    reads: answers.length,
    unanswered,
    milliseconds,
    ...(blockNumber === undefined ? {} : { blockNumber }),
  };
}
