import { type AppError, RETRY_AFTER_SECONDS, SECOND_MS, serviceUnavailable } from '@app/common';

/** Nothing is accepted for a request this long after it has arrived. The gateway waits longer for the answer. */
export const MAX_ACCEPTANCE_MS = 10 * SECOND_MS;
/**
 * A signature for a caller without an idempotency key is stored within this time after acceptance, or never. The time is longer than a
 * request waits for the signer process.
 */
export const MAX_SIGNING_MS = 10 * SECOND_MS;
/**
 * A caller without an idempotency key and without an answer finds in the list, after this time, all that was signed for its request: the
 * two times above, and ten seconds for a commit that PostgreSQL delays.
 */
export const UNANSWERED_SECONDS = 30;

export const acceptanceTimeout = (): AppError =>
  serviceUnavailable(
    'acceptance_timeout',
    `The request took longer than ${MAX_ACCEPTANCE_MS / SECOND_MS} seconds: nothing was signed for it, and nothing will be.`,
    { retryAfter: RETRY_AFTER_SECONDS.upstream },
  );

/** A request has missed its deadline in the transaction that accepts several requests. */
export class PastDeadlineError extends Error {
  override readonly name = 'PastDeadlineError';

  constructor() {
    super('a deadline has passed in the transaction');
  }
}

/**
 * The time until which a request may have something accepted. A caller without an answer may look at what its account has done and pay
 * again: what its first request would be accepted for later would be paid twice.
 */
export class RequestDeadline {
  private readonly endsAt: number;

  /**
   * @param receivedAt when the request arrived, by `performance.now()`
   * @param signal aborted when the caller has closed its connection: nobody would hear the answer
   */
  constructor(
    receivedAt: number,
    private readonly signal?: AbortSignal,
  ) {
    this.endsAt = receivedAt + MAX_ACCEPTANCE_MS;
  }

  /** Milliseconds until the deadline; 0 when it is past, or the caller is gone. */
  get leftMs(): number {
    return this.signal?.aborted === true ? 0 : Math.max(0, this.endsAt - performance.now());
  }

  get isPast(): boolean {
    return this.leftMs === 0;
  }

  /** @throws AppError 503 `acceptance_timeout` when it is past */
  check(): void {
    if (this.isPast) throw acceptanceTimeout();
  }
}
