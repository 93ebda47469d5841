import { setMaxListeners } from 'node:events';
import { type CallResult, createUnavailableResult } from './call-result.js';
import { type PendingRead, MAX_SMALL_GROUP_SIZE, type ReadWaiter, FairReadQueue } from './fair-read-queue.js';

export interface BatchLimits {
  /** Distinct calls in one batch. */
  readonly maxBatchSize: number;
  /** Chunks under way at most. */
  readonly maxInFlight: number;
  /** Milliseconds that reads gather for at most where more are sure to come; a lone read goes at once. */
  readonly batchWindowMs: number;
  /** Milliseconds after which a chunk is given up, re-reads included. */
  readonly budgetMs: number;
  /** Distinct calls that may wait; more are turned away. Unset: as many as callers may wait for. */
  readonly maxWaiting?: number;
  /** Callers' reads that may wait, equal ones counted each; more are turned away, those of small groups only at twice as many. */
  readonly maxWaiters: number;
}

/** Called with some of the answers as soon as they are known: `indices` say to which calls. */
export type OnResults = (indices: readonly number[], answers: readonly CallResult[]) => void;

export interface BatchHooks {
  /** Answers each question once, through `onAnswers`. Rejects only for faults of our own. */
  readonly read: (
    questions: readonly PendingRead[],
    signal: AbortSignal,
    onAnswers: OnResults,
  ) => Promise<void>;
  /** Before the answers are handed on. `askedAt`, when their chunk was sent, is on the clock of `performance.now()`. */
  readonly storeResults: (keys: readonly string[], answers: readonly CallResult[], askedAt: number) => void;
  /** Once for each chunk, when its last answers are known and before they are handed on. */
  readonly onBatch: (answers: readonly CallResult[], askedAt: number) => void;
  /** Asked of each call that is about to go: true when it was taken over. */
  readonly takeOver?: (question: PendingRead) => boolean;
  /** Whether others go first for now. */
  readonly shouldYield?: () => boolean;
}

/** How often a lane lets others go first before it takes its turn all the same. */
const MAX_YIELDS = 40;

/** Gathers the calls of one lane that arrive together: the same call is made once, and all of them in as few chunks as fit. */
export class ReadBatcher {
  private readonly waiting = new FairReadQueue();
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
  get hasWaitingReads(): boolean {
    return this.waiting.size > 0;
  }

  /** A question of its own, or one that another lane has taken out of its line. */
  add(question: PendingRead): void {
    const isNew = !this.waiting.has(question.key);
    if (this.isFull(question, isNew)) {
      settle(question, queueFullResult);
      return;
    }
    this.waiting.add(question);
    if (isNew) this.arrived();
  }

  /** What large groups fill must not shut out the others: they take turns. */
  private isFull({ waiter }: PendingRead, isNew: boolean): boolean {
    const { maxWaiting = Infinity, maxWaiters } = this.limits;
    const isSmall = waiter.group.results.length <= MAX_SMALL_GROUP_SIZE;
    return (
      (isNew && this.waiting.size >= maxWaiting) ||
      this.waiting.waiterCount >= (isSmall ? 2 * maxWaiters : maxWaiters)
    );
  }

  /**
   * A lone read goes as soon as those of its own tick are there. With a chunk under way, or where a crowd was around a
   * moment ago, more are sure to come, so reads wait for them, but not for long: a slow node must not make the next
   * question slow too.
   */
  private arrived(): void {
    const { size } = this.waiting;
    if (size >= this.limits.maxBatchSize || (this.inFlight === 0 && this.isCrowd(size))) this.flushSoon();
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
    }, this.limits.batchWindowMs);
  }

  private flush(): void {
    clearTimeout(this.gathering);
    this.gathering = undefined;
    if (this.waiting.size > 0 && this.yields < MAX_YIELDS && this.hooks.shouldYield?.()) {
      this.yields += 1;
      this.flushLater();
      return;
    }
    this.yields = 0;
    this.crowd = Math.max(this.crowd / 2, this.readsInFlight + this.waiting.size);
    while (this.waiting.size > 0 && this.inFlight < this.limits.maxInFlight) {
      const chunk = this.takeChunk();
      // Nobody waits for what was left, or another lane has it.
      if (chunk.length === 0) return;
      void this.run(chunk);
    }
  }

  private takeChunk(): PendingRead[] {
    const { takeOver } = this.hooks;
    return this.waiting.take(
      this.limits.maxBatchSize,
      (question) => hasActiveWaiter(question) && !takeOver?.(question),
    );
  }

  private async run(chunk: readonly PendingRead[]): Promise<void> {
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
      const all: CallResult[] = [];
      await this.hooks.read(chunk, budget.signal, (indices, answers) => {
        all.push(...answers);
        if (all.length === chunk.length) this.hooks.onBatch(all, askedAt);
        this.hand(chunk, indices, answers, askedAt);
      });
    } catch (error) {
      for (const { waiter } of chunk)
        for (let w: ReadWaiter | undefined = waiter; w; w = w.next) w.group.fail(error);
    } finally {
      clearTimeout(timer);
      this.inFlight -= 1;
      this.readsInFlight -= chunk.length;
      if (this.waiting.size > 0) this.arrived();
    }
  }

  private hand(
    chunk: readonly PendingRead[],
    indices: readonly number[],
    answers: readonly CallResult[],
    askedAt: number,
  ): void {
    const keys = indices.map((index) => chunk[index]?.key ?? '');
    this.hooks.storeResults(keys, answers, askedAt);
    indices.forEach((index, at) => {
      const question = chunk[index];
      const answer = answers[at];
      if (question && answer) settle(question, answer);
    });
  }
}

const queueFullResult = createUnavailableResult('too many reads are waiting');

function settle({ waiter }: PendingRead, answer: CallResult): void {
  for (let w: ReadWaiter | undefined = waiter; w; w = w.next) w.group.setResult(w.index, answer);
}

function hasActiveWaiter({ waiter }: PendingRead): boolean {
  for (let w: ReadWaiter | undefined = waiter; w; w = w.next) if (!w.group.isAbandoned) return true;
  return false;
}
