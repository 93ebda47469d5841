export interface CircuitBreakerOptions {
  /** Consecutive failures that open the breaker. */
  failureThreshold: number;
  /** Time from the last failure to the next probe request. */
  resetTimeoutMs: number;
}

/** The outcome of a request. `abandoned`: the client disconnected, which says nothing about the upstream. */
export type CircuitBreakerOutcome = 'answered' | 'failed' | 'abandoned';

/**
 * Fails fast while an upstream is down. When half open, one request probes the upstream and all others still fail fast:
 * none waits for the probe.
 */
export class CircuitBreaker {
  private failures = 0;
  private probeAtMs = 0;
  private isProbing = false;

  constructor(
    private readonly options: CircuitBreakerOptions,
    private readonly now: () => number = () => performance.now(),
  ) {}

  /** A callback that must be called once with the outcome; undefined when the request must not be sent. */
  acquire(): ((outcome: CircuitBreakerOutcome) => void) | undefined {
    if (this.failures < this.options.failureThreshold) {
      return (outcome) => {
        this.settle(outcome);
      };
    }
    if (this.isProbing || this.now() < this.probeAtMs) return undefined;
    this.isProbing = true;
    return (outcome) => {
      this.isProbing = false;
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
