export interface ShareSize {
  /** Under way at once. */
  readonly atOnce: number;
  /** Begun in a minute: as many at one go, and then as they become free, evenly. */
  readonly perMinute: number;
}

/** Why there is no room. */
export interface NoRoom {
  readonly limit: 'at_once' | 'a_minute';
  /** Whole seconds. */
  readonly retryAfter: number;
}

const MINUTE_MS = 60_000;
/** One, as sums of fractions have it. */
const ONE = 1 - 1e-9;
/** Nobody knows when one of those under way is done; most take less. */
const AT_ONCE_RETRY_S = 2;

/** What one holder may have of something that is scarce. */
export class CheckShare {
  private underWay = 0;
  private left: number;
  private countedAtMs: number;

  constructor(
    private readonly size: ShareSize,
    private readonly now: () => number = () => performance.now(),
  ) {
    this.left = size.perMinute;
    this.countedAtMs = now();
  }

  /** Undefined when there is room for one more. */
  noRoom(): NoRoom | undefined {
    const { atOnce, perMinute } = this.size;
    if (this.underWay >= atOnce) return { limit: 'at_once', retryAfter: AT_ONCE_RETRY_S };
    this.refill();
    if (this.left >= ONE) return undefined;
    const waitMs = ((1 - this.left) * MINUTE_MS) / perMinute;
    return { limit: 'a_minute', retryAfter: Math.max(1, Math.ceil(waitMs / 1_000)) };
  }

  /** Only when there is room. */
  begin(): void {
    this.underWay += 1;
    this.left -= 1;
  }

  end(): void {
    this.underWay -= 1;
  }

  private refill(): void {
    const { perMinute } = this.size;
    const now = this.now();
    this.left = Math.min(perMinute, this.left + ((now - this.countedAtMs) * perMinute) / MINUTE_MS);
    this.countedAtMs = now;
  }
}
