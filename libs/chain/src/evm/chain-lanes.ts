import { type ReadCall } from './aggregate.js';
import { AnswerCache } from './answer-cache.js';
import { type BatchHooks, type BatchLimits, ChainBatcher } from './chain-batcher.js';
import { type ChainCalls } from './contract-calls.js';
import { type RawAnswer } from './raw-answer.js';
import { readChunk, readSingle } from './read-chunk.js';
import { Quarantine } from './quarantine.js';
import { ReadGroup } from './read-group.js';
import { type Question } from './waiting-reads.js';

export type Lane = 'foreground' | 'background' | 'quarantine';

/** One finished chunk, for metrics. */
export interface ChunkReport {
  readonly lane: Lane;
  /** Distinct calls in it. */
  readonly reads: number;
  /** Those without an answer through a node's fault. */
  readonly unanswered: number;
  readonly milliseconds: number;
  readonly blockNumber?: bigint;
}

export interface ChainLanesOptions {
  readonly calls: ChainCalls;
  readonly foreground: Omit<BatchLimits, 'maxWaiting' | 'maxWaiters'>;
  /** Milliseconds that an answer may be given out again for; 0 for not at all. */
  readonly cacheMs: number;
  /** Milliseconds that a contract stays by itself after it hurt others. */
  readonly quarantineMs: number;
  readonly onChunk: (chunk: ChunkReport) => void;
  readonly onCacheHits: (hits: number) => void;
  readonly onQuarantine: (contracts: number) => void;
}

/** Ten large checks; while nodes hang, who waits takes memory. */
const maxWaiters = 200_000;
/** One chunk at a time: the node is soon free again for who waits. As large as others, because nodes are paid by the call. */
const background = { maxInFlight: 1, gatherMs: 25, maxWaiters } as const;
/** Reads that burn, flood or take the time, a few at a time; more than fit a check's budget need not wait. */
const quarantine = { chunkSize: 1, maxInFlight: 4, gatherMs: 0, maxWaiting: 512, maxWaiters } as const;

/** The ways on which reads of one chain reach its nodes, and what is remembered of them. */
export class ChainLanes {
  private readonly cache: AnswerCache | undefined;
  private readonly quarantine: Quarantine;
  private readonly lanes: Readonly<Record<Exclude<Lane, 'quarantine'>, ChainBatcher>>;

  constructor(private readonly options: ChainLanesOptions) {
    const { calls, foreground, cacheMs, quarantineMs } = options;
    const { budgetMs, chunkSize } = foreground;
    this.cache = cacheMs > 0 ? new AnswerCache(cacheMs) : undefined;
    this.quarantine = new Quarantine(quarantineMs, options.onQuarantine);
    const onOffender = this.quarantine.add.bind(this.quarantine);
    const together: BatchHooks['read'] = (questions, signal, onAnswers) => {
      const reads = questions.map(({ call: { to, data }, waiter }) => ({ to, data, owner: waiter.group }));
      return readChunk(reads, { contracts: calls, signal, onOffender, onAnswers });
    };
    const alone: BatchHooks['read'] = async ([question], signal, onAnswers) => {
      if (question) await readSingle(question.call, { contracts: calls, signal, onOffender, onAnswers });
    };
    const hooksOf = (lane: Lane): Pick<BatchHooks, 'keep' | 'onChunk'> => ({
      keep: (keys, answers, askedAt) => this.cache?.keep(keys, answers, askedAt),
      onChunk: (answers, askedAt) => {
        options.onChunk(report(lane, answers, askedAt));
      },
    });
    const quarantined = new ChainBatcher(
      { ...quarantine, budgetMs },
      { read: alone, ...hooksOf('quarantine') },
    );
    const takeOver = (question: Question): boolean => {
      if (!this.quarantine.holds(question.call.to)) return false;
      quarantined.add(question);
      return true;
    };
    const first = new ChainBatcher(
      { ...foreground, maxWaiters },
      {
        read: together,
        ...hooksOf('foreground'),
        takeOver,
      },
    );
    const second = new ChainBatcher(
      { ...background, chunkSize, budgetMs },
      {
        read: together,
        ...hooksOf('background'),
        takeOver,
        mustYield: () => first.isBusy,
      },
    );
    this.lanes = { foreground: first, background: second };
  }

  /** Sends the reads on their way; the group hears of the answers. */
  read(reads: readonly ReadCall[], lane: Exclude<Lane, 'quarantine'>): ReadGroup {
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
        group.answer(index, kept);
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

function report(lane: Lane, answers: readonly RawAnswer[], askedAt: number): ChunkReport {
  let unanswered = 0;
  let blockNumber: bigint | undefined;
  for (const answer of answers) {
    if (answer.kind !== 'failed') blockNumber ??= answer.blockNumber;
    else if (!answer.failure.lasting) unanswered += 1;
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
