export interface CircuitBreakerOptions {
  /** Failures in a row after which nothing is sent any more. */
  failureThreshold: number;
  /** Then one request is let through to find out, this long after. */
  resetTimeoutMs: number;
}

/** How a request that was let through ended. A caller that went away says nothing about the upstream. */
export type CircuitBreakerOutcome = 'answered' | 'failed' | 'abandoned';

/**
 * Spares callers the wait for an upstream that is dead. While one request finds out whether it is back, all others are
 * refused at once: none of them waits for the probe.
 */
export class CircuitBreaker {
  private failures = 0;
  private probeAtMs = 0;
  private probing = false;

  constructor(
    private readonly options: CircuitBreakerOptions,
    private readonly now: () => number = () => performance.now(),
  ) {}

  /** The way to report the outcome, exactly once; undefined when the request is not to be sent. */
  acquire(): ((outcome: CircuitBreakerOutcome) => void) | undefined {
    if (this.failures < this.options.failureThreshold) {
      return (outcome) => {
        this.settle(outcome);
      };
    }
    if (this.probing || this.now() < this.probeAtMs) return undefined;
    this.probing = true;
    return (outcome) => {
      this.probing = false;
      this.settle(outcome);
    };
  }

  private settle(outcome: CircuitBreakerOutcome): void {
    if (outcome === 'answered') this.failures = 0;
    if (outcome !== 'failed') return;
    this.failures += 1;
    this.probeAtMs = this.now() + this.options.resetTimeoutMs;
  }
}
