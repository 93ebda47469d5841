import { setMaxListeners } from 'node:events';
import { type ContractCalls, type ReadCall } from './contract-calls.js';
import { type RawAnswer, readChunk } from './read-chunk.js';

export interface BatchLimits {
  /** Distinct calls in one batch. */
  readonly chunkSize: number;
  /** Chunks under way per chain at most. */
  readonly maxInFlight: number;
  /** Milliseconds that reads gather for while another chunk is under way; with nothing under way they go at once. */
  readonly gatherMs: number;
  /** Milliseconds after which a chunk is given up, re-reads included. */
  readonly budgetMs: number;
}

/** One finished chunk, for metrics. */
export interface ChunkReport {
  /** Distinct calls in it. */
  readonly reads: number;
  /** Those without an answer through a node's fault. */
  readonly unanswered: number;
  readonly milliseconds: number;
  readonly blockNumber?: bigint;
}

interface Waiting {
  readonly call: ReadCall;
  readonly resolve: ((raw: RawAnswer) => void)[];
  readonly reject: ((error: unknown) => void)[];
}

/** Gathers the calls of one chain that arrive together: the same call is made once, and all of them in as few chunks as fit. */
export class ChainBatcher {
  private readonly waiting = new Map<string, Waiting>();
  private inFlight = 0;
  private flushing = false;
  private gathering: NodeJS.Timeout | undefined;

  constructor(
    private readonly contracts: ContractCalls,
    private readonly limits: BatchLimits,
    private readonly report: (chunk: ChunkReport) => void,
  ) {}

  add(call: ReadCall): Promise<RawAnswer> {
    const key = `${call.to}${call.data}`;
    let entry = this.waiting.get(key);
    if (!entry) {
      entry = { call, resolve: [], reject: [] };
      this.waiting.set(key, entry);
      this.arrived();
    }
    const { resolve, reject } = entry;
    return new Promise((onAnswer, onError) => {
      resolve.push(onAnswer);
      reject.push(onError);
    });
  }

  /**
   * A lone read goes as soon as those of its own tick are there. With a chunk under way more are sure to come, so reads
   * wait for its end, but not for long: a slow node must not make the next question slow too.
   */
  private arrived(): void {
    if (this.inFlight === 0 || this.waiting.size >= this.limits.chunkSize) this.flushSoon();
    else
      this.gathering ??= setTimeout(() => {
        this.flush();
      }, this.limits.gatherMs);
  }

  private flushSoon(): void {
    if (this.flushing) return;
    this.flushing = true;
    setImmediate(() => {
      this.flushing = false;
      this.flush();
    });
  }

  private flush(): void {
    clearTimeout(this.gathering);
    this.gathering = undefined;
    while (this.waiting.size > 0 && this.inFlight < this.limits.maxInFlight) {
      const chunk: Waiting[] = [];
      for (const [key, entry] of this.waiting) {
        if (chunk.length === this.limits.chunkSize) break;
        chunk.push(entry);
        this.waiting.delete(key);
      }
      void this.run(chunk);
    }
  }

  private async run(chunk: readonly Waiting[]): Promise<void> {
    this.inFlight += 1;
    const started = performance.now();
    const budget = new AbortController();
    // Every node call of the chunk listens to it.
    setMaxListeners(0, budget.signal);
    const timer = setTimeout(() => {
      budget.abort();
    }, this.limits.budgetMs);
    try {
      const calls = chunk.map(({ call }) => call);
      const answers = await readChunk(this.contracts, calls, budget.signal);
      this.report({ reads: calls.length, milliseconds: performance.now() - started, ...summary(answers) });
      chunk.forEach(({ resolve }, index) => {
        const answer = answers[index];
        if (answer) for (const settle of resolve) settle(answer);
      });
    } catch (error) {
      for (const { reject } of chunk) for (const fail of reject) fail(error);
    } finally {
      clearTimeout(timer);
      this.inFlight -= 1;
      // Whoever was just answered may ask again in this tick.
      if (this.waiting.size > 0) this.flushSoon();
    }
  }
}

function summary(answers: readonly RawAnswer[]): Pick<ChunkReport, 'unanswered' | 'blockNumber'> {
  let unanswered = 0;
  let blockNumber: bigint | undefined;
  for (const answer of answers) {
    if (answer.kind !== 'failed') blockNumber ??= answer.blockNumber;
    else if (!answer.failure.lasting) unanswered += 1;
  }
  return { unanswered, ...(blockNumber === undefined ? {} : { blockNumber }) };
}
