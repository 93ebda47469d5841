import { type CallResult } from './call-result.js';

/** The reads of one caller and the answers that have come so far. One promise for all of them. */
export class ReadGroup {
  /** One per read, in order; undefined as long as there is none. */
  readonly results: (CallResult | undefined)[];
  /** Resolves when every read has an answer; rejects for a fault of our own. */
  readonly complete: Promise<void>;
  /** How many reads have no answer yet. */
  pendingCount: number;
  /** Whether nobody waits any longer. */
  isAbandoned = false;
  private resolve!: () => void;
  private reject!: (error: unknown) => void;

  constructor(size: number) {
    this.results = new Array<CallResult | undefined>(size).fill(undefined);
    this.pendingCount = size;
    this.complete = new Promise((resolve, reject) => {
      this.resolve = resolve;
      this.reject = reject;
    });
    // Whoever waits hears of it; a caller that left before must not become an unhandled rejection.
    this.complete.catch(() => undefined);
    if (size === 0) this.resolve();
  }

  setResult(index: number, raw: CallResult): void {
    this.results[index] = raw;
    this.pendingCount -= 1;
    if (this.pendingCount === 0) this.resolve();
  }

  fail(error: unknown): void {
    this.reject(error);
  }
}
