/** How failed requests are repeated. Every wait ends early when the request's signal is aborted. */
export interface RetryOptions {
  /** Attempts in all, the first one included. Default: 4. */
  readonly attempts?: number;
  /** The longest wait between two attempts. A `Retry-After` above it is not waited for: the error is thrown. Default: 20 s. */
  readonly maxDelayMs?: number;
  /** The wait after the first failure; each further one doubles it. Default: 500 ms. */
  readonly baseDelayMs?: number;
}

export type RetryPolicy = Required<RetryOptions>;

export const DEFAULT_RETRY: RetryPolicy = { attempts: 4, maxDelayMs: 20_000, baseDelayMs: 500 };

/** What happened to one attempt. */
export interface Failure {
  /** Undefined where no answer came. */
  readonly status: number | undefined;
  readonly retryAfterMs: number | undefined;
  /** Whether the request may be sent again although it may have had its effect. */
  readonly isRepeatable: boolean;
}

export const UNAVAILABLE = [502, 503, 504];
/** Methods of RFC 9110 whose second request leaves what the first one has left. */
const IDEMPOTENT_METHODS = ['GET', 'HEAD', 'OPTIONS', 'PUT', 'DELETE'];

export const isIdempotent = (method: string): boolean => IDEMPOTENT_METHODS.includes(method);

/**
 * Decides whether to send a request again. 429 means that it was not carried out, so any request is repeated; after 502, 503, 504 or
 * no answer at all it may have been, so only a repeatable one is.
 * @param failed attempts so far
 * @returns the wait in milliseconds, or undefined for no further attempt
 */
export function planRetry(
  failure: Failure,
  failed: number,
  policy: RetryPolicy,
  random: () => number = Math.random,
): number | undefined {
  const { status, retryAfterMs, isRepeatable } = failure;
  if (failed >= policy.attempts) return undefined;
  const mayRepeat =
    status === 429 || (isRepeatable && (status === undefined || UNAVAILABLE.includes(status)));
  if (!mayRepeat) return undefined;
  const backoff = Math.min(policy.maxDelayMs, policy.baseDelayMs * 2 ** (failed - 1));
  const jittered = backoff * (0.5 + random() / 2);
  if (retryAfterMs === undefined) return jittered;
  if (retryAfterMs > policy.maxDelayMs) return undefined;
  // The jitter keeps clients that were refused together from coming back together.
  return Math.min(policy.maxDelayMs, retryAfterMs + random() * policy.baseDelayMs);
}

/** IMF-fixdate, the only form that RFC 9110 lets servers send: `Sun, 06 Nov 1994 08:49:37 GMT`. */
const HTTP_DATE = /^[A-Z][a-z]{2}, \d{2} [A-Z][a-z]{2} \d{4} \d{2}:\d{2}:\d{2} GMT$/;

/**
 * Reads `Retry-After`: seconds or a date.
 * @returns milliseconds, at least 0; undefined without the header, or where it is neither
 */
export function parseRetryAfter(value: string | null, now = Date.now()): number | undefined {
  if (value === null) return undefined;
  const text = value.trim();
  if (/^\d+$/.test(text)) return Number(text) * 1_000;
  if (!HTTP_DATE.test(text)) return undefined;
  const at = Date.parse(text);
  return Number.isNaN(at) ? undefined : Math.max(0, at - now);
}

/** Timers with a longer wait than this end at once. */
export const MAX_TIMER_MS = 2 ** 31 - 1;

/** Waits, and rejects with the signal's reason as soon as it is aborted. */
export function sleep(ms: number, signal?: AbortSignal | null): Promise<void> {
  return new Promise((resolve, reject) => {
    signal?.throwIfAborted();
    const onAbort = (): void => {
      clearTimeout(timer);
      reject(signal?.reason as Error);
    };
    const timer = setTimeout(
      () => {
        signal?.removeEventListener('abort', onAbort);
        resolve();
      },
      Math.min(ms, MAX_TIMER_MS),
    );
    signal?.addEventListener('abort', onAbort, { once: true });
  });
}

/** Stops waiting when the signal is aborted. The work itself goes on, because other callers may share it. */
export function waitUntilAborted<T>(work: Promise<T>, signal?: AbortSignal | null): Promise<T> {
  if (!signal) return work;
  return new Promise((resolve, reject) => {
    const onAbort = (): void => {
      reject(signal.reason as Error);
    };
    if (signal.aborted) onAbort();
    signal.addEventListener('abort', onAbort, { once: true });
    work.then(resolve, reject).finally(() => {
      signal.removeEventListener('abort', onAbort);
    });
  });
}
