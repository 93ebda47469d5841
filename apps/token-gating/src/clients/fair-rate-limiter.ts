import { MINUTE_MS } from '@app/common';
export interface FairRateLimiterOptions {
  readonly requestsPerMinute: number;
  /** Requests that wait, per share; further ones are refused. */
  readonly maxWaitingPerShare: number;
}

export type PlaceOutcome = 'granted' | 'refused' | 'aborted';

interface WaitingRequest {
  readonly settle: (outcome: PlaceOutcome) => void;
}

/** The part of a minute's requests that may be sent at once. */
const BURST_PART = 1 / 6;

/**
 * A token bucket for the requests of one key. Shares take turns, however many requests of each wait, so that no tenant delays
 * another by more than its own turn.
 */
export class FairRateLimiter {
  private readonly capacity: number;
  private readonly msPerToken: number;
  /** Requests by tenant, in the order of the tenants' next turns. */
  private readonly waiting = new Map<string, Set<WaitingRequest>>();
  private tokens: number;
  private refilledAt = performance.now();
  private pausedUntil = 0;
  private timer: NodeJS.Timeout | undefined;

  constructor(private readonly options: FairRateLimiterOptions) {
    const { requestsPerMinute } = options;
    this.capacity = Math.max(1, Math.floor(requestsPerMinute * BURST_PART));
    // The burst and what is added during a minute are the requests of a minute together.
    this.msPerToken = MINUTE_MS / Math.max(1, requestsPerMinute - this.capacity);
    this.tokens = this.capacity;
  }

  /** Waits for the turn of a request. Refuses at once what could not be sent before the pause ends or the share is full. */
  acquire(share: string, signal: AbortSignal): Promise<PlaceOutcome> {
    if (signal.aborted) return Promise.resolve('aborted');
    if (this.waiting.size === 0 && this.takeToken()) return Promise.resolve('granted');
    const requests = this.waiting.get(share) ?? new Set();
    if (requests.size >= this.options.maxWaitingPerShare) return Promise.resolve('refused');
    return new Promise((resolve) => {
      const request: WaitingRequest = {
        settle: (outcome) => {
          signal.removeEventListener('abort', onAbort);
          resolve(outcome);
        },
      };
      const onAbort = (): void => {
        requests.delete(request);
        if (requests.size === 0 && this.waiting.get(share) === requests) this.waiting.delete(share);
        request.settle('aborted');
      };
      signal.addEventListener('abort', onAbort);
      requests.add(request);
      this.waiting.set(share, requests);
      this.schedule();
    });
  }

  /** Sends nothing for this time, and then slowly. */
  pause(durationMs: number): void {
    this.refill();
    this.tokens = 0;
    this.pausedUntil = Math.max(this.pausedUntil, performance.now() + durationMs);
    this.refilledAt = this.pausedUntil - this.msPerToken;
  }

  /** Milliseconds until the next request may be sent, without regard to those that wait. */
  get delayMs(): number {
    this.refill();
    const forToken = this.tokens >= 1 ? 0 : this.refilledAt + this.msPerToken - performance.now();
    return Math.max(0, forToken, this.pausedUntil - performance.now());
  }

  private takeToken(): boolean {
    if (this.delayMs > 0) return false;
    this.tokens -= 1;
    return true;
  }

  private refill(): void {
    const added = Math.floor((performance.now() - this.refilledAt) / this.msPerToken);
    if (added <= 0) return;
    this.refilledAt += added * this.msPerToken;
    this.tokens = Math.min(this.capacity, this.tokens + added);
  }

  private schedule(): void {
    if (this.timer !== undefined || this.waiting.size === 0) return;
    this.timer = setTimeout(() => {
      this.timer = undefined;
      while (this.waiting.size > 0 && this.takeToken()) this.takeNext()?.settle('granted');
      this.schedule();
    }, this.delayMs);
    this.timer.unref();
  }

  /** The oldest request of the share whose turn it is, which goes to the end of the line. */
  private takeNext(): WaitingRequest | undefined {
    const [next] = this.waiting;
    if (!next) return undefined;
    const [share, requests] = next;
    const [request] = requests;
    this.waiting.delete(share);
    if (request) requests.delete(request);
    if (requests.size > 0) this.waiting.set(share, requests);
    return request;
  }
}
