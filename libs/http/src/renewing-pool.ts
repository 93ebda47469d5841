import { MINUTE_MS } from '@app/common';
import { Pool } from './reach-ins/undici.js';

const LIFETIME_MS = MINUTE_MS;

/**
 * A keep-alive connection pool to another app that is replaced every minute, so that new replicas behind one address get
 * load, too. undici's own `clientTtl` (7.30.2) never sends requests that wait once all connections of a pool are too old.
 */
export class RenewingPool {
  private pool: Pool;
  private createdAt: number;
  /** Earlier pools whose requests are not finished. */
  private readonly closing = new Set<Pool>();

  constructor(
    private readonly origin: string,
    private readonly options: Pool.Options,
    private readonly now = () => performance.now(),
  ) {
    this.pool = new Pool(origin, options);
    this.createdAt = now();
  }

  /** The pool for the next request. */
  get current(): Pool {
    if (this.now() - this.createdAt > LIFETIME_MS) this.renew();
    return this.pool;
  }

  /** Closes all connections after their requests. */
  async close(): Promise<void> {
    await Promise.all([this.pool, ...this.closing].map((pool) => pool.close()));
  }

  /** Ends all requests. */
  async destroy(): Promise<void> {
    await Promise.all([this.pool, ...this.closing].map((pool) => pool.destroy()));
  }

  private renew(): void {
    const earlier = this.pool;
    this.pool = new Pool(this.origin, this.options);
    this.createdAt = this.now();
    this.closing.add(earlier);
    void earlier
      .close()
      .catch(() => earlier.destroy())
      .finally(() => this.closing.delete(earlier));
  }
}
