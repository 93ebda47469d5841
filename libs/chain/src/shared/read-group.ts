import { type CallResult } from './call-result.js';

/** The reads of one caller and their results so far, behind one promise. */
export class ReadGroup {
  /** Results in the order of the reads; undefined while the read is pending. */
  readonly results: (CallResult | undefined)[];
  /** Resolves when every read has a result; rejects on an internal error. */
  readonly complete: Promise<void>;
  pendingCount: number;
  /** Whether the caller has stopped waiting. */
  isAbandoned = false;
  private resolve!: () => void;
  private reject!: (error: unknown) => void;

  constructor(
    size: number,
    /** Unset for reads of no tenant. */
    readonly tenantId?: string,
  ) {
    this.results = new Array<CallResult | undefined>(size).fill(undefined);
    this.pendingCount = size;
    this.complete = new Promise((resolve, reject) => {
      this.resolve = resolve;
      this.reject = reject;
    });
    // A rejection after the caller has stopped waiting must not become an unhandled rejection.
    this.complete.catch(() => undefined);
    if (size === 0) this.resolve();
  }

  setResult(index: number, result: CallResult): void {
    this.results[index] = result;
    this.pendingCount -= 1;
    if (this.pendingCount === 0) this.resolve();
  }

  fail(error: unknown): void {
    this.reject(error);
  }
}
