import { MINUTE_MS } from '@app/common';
import { TokenBucket } from '@app/limits';

export interface ContractCheckBudgetSize {
  readonly maxConcurrent: number;
  /** Capacity of the token bucket, refilled evenly over a minute. */
  readonly maxPerMinute: number;
}

export interface LimitExceeded {
  readonly limit: 'concurrent' | 'per_minute';
  /** Whole seconds. */
  readonly retryAfter: number;
}

/** An estimate: it is unknown when a running check ends. */
const CONCURRENT_RETRY_SECONDS = 2;

/** A concurrency limit and a token bucket for signature checks by contract wallets, of one tenant or one chain. */
export class ContractCheckBudget {
  private running = 0;
  private readonly bucket: TokenBucket;

  constructor(
    private readonly size: ContractCheckBudgetSize,
    now?: () => number,
  ) {
    this.bucket = new TokenBucket(size.maxPerMinute, MINUTE_MS / size.maxPerMinute, now);
  }

  /** Undefined when one more check may start. */
  limitExceeded(): LimitExceeded | undefined {
    return this.findExceededLimit({ running: 0, used: 0, refillRate: 0 });
  }

  /**
   * Undefined when `consumer` may start one more check on this shared budget. A consumer may use as much of it as it leaves
   * to others, so that a few busy consumers never starve a new one.
   */
  limitExceededFor(consumer: ContractCheckBudget): LimitExceeded | undefined {
    const { running, bucket, size } = consumer;
    const { maxPerMinute } = size;
    return this.findExceededLimit({
      running,
      used: maxPerMinute - bucket.available,
      refillRate: maxPerMinute,
    });
  }

  /** @param consumer its running checks, the tokens it has used, and how many of them it regains per minute */
  private findExceededLimit(consumer: {
    running: number;
    used: number;
    refillRate: number;
  }): LimitExceeded | undefined {
    const { maxConcurrent, maxPerMinute } = this.size;
    if (consumer.running >= maxConcurrent - this.running)
      return { limit: 'concurrent', retryAfter: CONCURRENT_RETRY_SECONDS };
    if (this.bucket.hasToken(consumer.used)) return undefined;
    const { available } = this.bucket;
    const minutes = Math.max(
      (1 - available) / maxPerMinute,
      (1 - available + consumer.used) / (maxPerMinute + consumer.refillRate),
    );
    return { limit: 'per_minute', retryAfter: Math.max(1, Math.ceil((minutes * MINUTE_MS) / 1_000)) };
  }

  /** Call only when no limit is exceeded. */
  acquire(): void {
    this.running += 1;
    this.bucket.take();
  }

  release(): void {
    this.running -= 1;
  }
}
