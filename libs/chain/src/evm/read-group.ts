import { type RawAnswer } from './raw-answer.js';

/** The reads of one caller and the answers that have come so far. One promise for all of them. */
export class ReadGroup {
  /** One per read, in order; undefined as long as there is none. */
  readonly answers: (RawAnswer | undefined)[];
  /** Resolves when every read has an answer; rejects for a fault of our own. */
  readonly complete: Promise<void>;
  /** How many reads have no answer yet. */
  missing: number;
  /** Whether nobody waits any longer. */
  ended = false;
  private resolve!: () => void;
  private reject!: (error: unknown) => void;

  constructor(size: number) {
    this.answers = new Array<RawAnswer | undefined>(size).fill(undefined);
    this.missing = size;
    this.complete = new Promise((resolve, reject) => {
      this.resolve = resolve;
      this.reject = reject;
    });
    // Whoever waits hears of it; a caller that left before must not become an unhandled rejection.
    this.complete.catch(() => undefined);
    if (size === 0) this.resolve();
  }

  answer(index: number, raw: RawAnswer): void {
    this.answers[index] = raw;
    this.missing -= 1;
    if (this.missing === 0) this.resolve();
  }

  fail(error: unknown): void {
    this.reject(error);
  }
}
