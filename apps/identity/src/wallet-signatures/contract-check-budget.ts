export interface ContractCheckBudgetSize {
  /** Under way at once. */
  readonly maxConcurrent: number;
  /** Begun in a minute: as many at one go, and then as they become free, evenly. */
  readonly maxPerMinute: number;
}

/** Why there is no room. */
export interface LimitExceeded {
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
export class ContractCheckBudget {
  private underWay = 0;
  private left: number;
  private countedAtMs: number;

  constructor(
    private readonly size: ContractCheckBudgetSize,
    private readonly now: () => number = () => performance.now(),
  ) {
    this.left = size.maxPerMinute;
    this.countedAtMs = now();
  }

  /** Undefined when there is room for one more. */
  limitExceeded(): LimitExceeded | undefined {
    return this.limitExceededBeside(0, 0, 0);
  }

  /**
   * Undefined when there is room for one more of somebody's: nobody has more of what all share than is left of it, so that
   * few cannot take everything, and who comes with nothing finds more than who has much.
   */
  limitExceededFor(somebody: ContractCheckBudget): LimitExceeded | undefined {
    somebody.refill();
    const { underWay, left, size } = somebody;
    return this.limitExceededBeside(underWay, size.maxPerMinute - left, size.maxPerMinute);
  }

  /** @param freed how many of those that somebody has begun no longer count after a minute */
  private limitExceededBeside(underWay: number, begun: number, freed: number): LimitExceeded | undefined {
    const { maxConcurrent, maxPerMinute } = this.size;
    if (underWay >= maxConcurrent - this.underWay) return { limit: 'at_once', retryAfter: AT_ONCE_RETRY_S };
    this.refill();
    const room = this.left - begun;
    if (room >= ONE) return undefined;
    const minutes = Math.max((1 - this.left) / maxPerMinute, (1 - room) / (maxPerMinute + freed));
    return { limit: 'a_minute', retryAfter: Math.max(1, Math.ceil((minutes * MINUTE_MS) / 1_000)) };
  }

  /** Only when there is room. */
  acquire(): void {
    this.underWay += 1;
    this.left -= 1;
  }

  release(): void {
    this.underWay -= 1;
  }

  private refill(): void {
    const { maxPerMinute } = this.size;
    const now = this.now();
    this.left = Math.min(maxPerMinute, this.left + ((now - this.countedAtMs) * maxPerMinute) / MINUTE_MS);
    this.countedAtMs = now;
  }
}
