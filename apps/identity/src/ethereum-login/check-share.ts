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
    return this.noRoomBeside(0, 0, 0);
  }

  /**
   * Undefined when there is room for one more of somebody's: nobody has more of what all share than is left of it, so that
   * few cannot take everything, and who comes with nothing finds more than who has much.
   */
  noRoomFor(somebody: CheckShare): NoRoom | undefined {
    somebody.refill();
    const { underWay, left, size } = somebody;
    return this.noRoomBeside(underWay, size.perMinute - left, size.perMinute);
  }

  /** @param freed how many of those that somebody has begun no longer count after a minute */
  private noRoomBeside(underWay: number, begun: number, freed: number): NoRoom | undefined {
    const { atOnce, perMinute } = this.size;
    if (underWay >= atOnce - this.underWay) return { limit: 'at_once', retryAfter: AT_ONCE_RETRY_S };
    this.refill();
    const room = this.left - begun;
    if (room >= ONE) return undefined;
    const minutes = Math.max((1 - this.left) / perMinute, (1 - room) / (perMinute + freed));
    return { limit: 'a_minute', retryAfter: Math.max(1, Math.ceil((minutes * MINUTE_MS) / 1_000)) };
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
