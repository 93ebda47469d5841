/** A whole token, less the rounding error of summed fractions. */
const ONE_TOKEN = 1 - 1e-9;

/** Bounds how fast requests of one key are sent: a burst, and one more each time that a token has been added. */
export class TokenBucket {
  private tokens: number;
  private refilledAtMs: number;
  private pausedUntilMs = 0;

  /** @param capacity the requests of a burst */
  constructor(
    private readonly capacity: number,
    private readonly msPerToken: number,
    private readonly now: () => number = () => performance.now(),
  ) {
    this.tokens = capacity;
    this.refilledAtMs = now();
  }

  /** Tokens, with the fraction of the next one. */
  get available(): number {
    const now = this.now();
    if (now > this.refilledAtMs) {
      this.tokens = Math.min(this.capacity, this.tokens + (now - this.refilledAtMs) / this.msPerToken);
      this.refilledAtMs = now;
    }
    return this.tokens;
  }

  /** Milliseconds until a request may be sent. */
  get delayMs(): number {
    if (this.hasToken()) return 0;
    return this.refilledAtMs - this.now() + (1 - this.tokens) * this.msPerToken;
  }

  /** @param reserved tokens that this request must leave in the bucket */
  hasToken(reserved = 0): boolean {
    return this.available - reserved >= ONE_TOKEN;
  }

  /** Call only when there is a token. */
  take(): void {
    this.tokens -= 1;
  }

  /** Holds no token for this time, and one at its end. */
  pause(durationMs: number): void {
    this.pausedUntilMs = Math.max(this.pausedUntilMs, this.now() + durationMs);
    this.tokens = 0;
    this.refilledAtMs = this.pausedUntilMs - this.msPerToken;
  }
}
