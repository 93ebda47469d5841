import { setMaxListeners } from 'node:events';
import { type ReadCall } from './contract-calls.js';
import { readFailure } from './read-failure.js';
import { type RawAnswer } from './read-chunk.js';
import { type ReadGroup } from './read-group.js';

export interface BatchLimits {
  /** Distinct calls in one batch. */
  readonly chunkSize: number;
  /** Chunks under way at most. */
  readonly maxInFlight: number;
  /** Milliseconds that reads gather for at most where more are sure to come; a lone read goes at once. */
  readonly gatherMs: number;
  /** Milliseconds after which a chunk is given up, re-reads included. */
  readonly budgetMs: number;
  /** Distinct calls that may wait; more are turned away. */
  readonly maxWaiting?: number;
}

export interface BatchHooks {
  /** One answer per call, in order. Rejects only for faults of our own. */
  readonly read: (calls: readonly ReadCall[], signal: AbortSignal) => Promise<RawAnswer[]>;
  /** After each chunk. `askedAt` is on the clock of `performance.now()`. */
  readonly onAnswers: (keys: readonly string[], answers: readonly RawAnswer[], askedAt: number) => void;
  /** Asked of each call that is about to go: true when it was taken over. */
  readonly takeOver?: (question: Question) => boolean;
  /** Whether others go first for now. */
  readonly mustYield?: () => boolean;
}

/** One call, made once for all who wait for it. */
export interface Question {
  readonly call: ReadCall;
  readonly key: string;
  waiter: Waiter;
}

interface Waiter {
  readonly group: ReadGroup;
  readonly index: number;
  readonly next: Waiter | undefined;
}

/** How often a lane lets others go first before it takes its turn all the same. */
const mostYields = 40;

/** Gathers the calls of one lane that arrive together: the same call is made once, and all of them in as few chunks as fit. */
export class ChainBatcher {
  private readonly waiting = new Map<string, Question>();
  private inFlight = 0;
  private readsInFlight = 0;
  /** Reads that were around at the same time lately. */
  private crowd = 0;
  private yields = 0;
  private flushing = false;
  private gathering: NodeJS.Timeout | undefined;

  constructor(
    private readonly limits: BatchLimits,
    private readonly hooks: BatchHooks,
  ) {}

  /** Whether reads wait for their turn. */
  get isBusy(): boolean {
    return this.waiting.size > 0;
  }

  /** `key` is the call as one text. */
  add(call: ReadCall, key: string, group: ReadGroup, index: number): void {
    const question = this.waiting.get(key);
    if (question) question.waiter = { group, index, next: question.waiter };
    else this.adopt({ call, key, waiter: { group, index, next: undefined } });
  }

  /** Takes over a question from another lane. */
  adopt(question: Question): void {
    const same = this.waiting.get(question.key);
    if (same) {
      for (let w: Waiter | undefined = question.waiter; w; w = w.next)
        same.waiter = { group: w.group, index: w.index, next: same.waiter };
    } else if (this.waiting.size >= (this.limits.maxWaiting ?? Infinity)) {
      settle(question, turnedAway);
    } else {
      this.waiting.set(question.key, question);
      this.arrived();
    }
  }

  /**
   * A lone read goes as soon as those of its own tick are there. With a chunk under way, or where a crowd was around a
   * moment ago, more are sure to come, so reads wait for them, but not for long: a slow node must not make the next
   * question slow too.
   */
  private arrived(): void {
    const { size } = this.waiting;
    if (size >= this.limits.chunkSize || (this.inFlight === 0 && this.isCrowd(size))) this.flushSoon();
    else this.flushLater();
  }

  private isCrowd(size: number): boolean {
    return size >= this.crowd / 2;
  }

  private flushSoon(): void {
    if (this.flushing) return;
    this.flushing = true;
    setImmediate(() => {
      this.flushing = false;
      this.flush();
    });
  }

  private flushLater(): void {
    this.gathering ??= setTimeout(() => {
      this.flush();
    }, this.limits.gatherMs);
  }

  private flush(): void {
    clearTimeout(this.gathering);
    this.gathering = undefined;
    if (this.waiting.size > 0 && this.yields < mostYields && this.hooks.mustYield?.()) {
      this.yields += 1;
      this.flushLater();
      return;
    }
    this.yields = 0;
    this.crowd = Math.max(this.crowd / 2, this.readsInFlight + this.waiting.size);
    while (this.waiting.size > 0 && this.inFlight < this.limits.maxInFlight) {
      const chunk = this.takeChunk();
      if (chunk.length > 0) void this.run(chunk);
    }
  }

  private takeChunk(): Question[] {
    const chunk: Question[] = [];
    for (const [key, question] of this.waiting) {
      if (chunk.length === this.limits.chunkSize) break;
      this.waiting.delete(key);
      if (isWanted(question) && !this.hooks.takeOver?.(question)) chunk.push(question);
    }
    return chunk;
  }

  private async run(chunk: readonly Question[]): Promise<void> {
    this.inFlight += 1;
    this.readsInFlight += chunk.length;
    const askedAt = performance.now();
    const budget = new AbortController();
    // Every node call of the chunk listens to it.
    setMaxListeners(0, budget.signal);
    const timer = setTimeout(() => {
      budget.abort();
    }, this.limits.budgetMs);
    try {
      const calls = chunk.map(({ call }) => call);
      const answers = await this.hooks.read(calls, budget.signal);
      const keys = chunk.map(({ key }) => key);
      this.hooks.onAnswers(keys, answers, askedAt);
      chunk.forEach((question, index) => {
        const answer = answers[index];
        if (answer) settle(question, answer);
      });
    } catch (error) {
      for (const { waiter } of chunk)
        for (let w: Waiter | undefined = waiter; w; w = w.next) w.group.fail(error);
    } finally {
      clearTimeout(timer);
      this.inFlight -= 1;
      this.readsInFlight -= chunk.length;
      if (this.waiting.size > 0) this.arrived();
    }
  }
}

const turnedAway: RawAnswer = {
  kind: 'failed',
  failure: readFailure('unavailable', 'too many reads of contracts that are costly to read are waiting'),
};

function settle({ waiter }: Question, answer: RawAnswer): void {
  for (let w: Waiter | undefined = waiter; w; w = w.next) w.group.answer(w.index, answer);
}

function isWanted({ waiter }: Question): boolean {
  for (let w: Waiter | undefined = waiter; w; w = w.next) if (!w.group.ended) return true;
  return false;
}
