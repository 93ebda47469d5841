import type { RequestLimits } from '@app/dto';
import type { WindowResult } from '../rate-limit.js';

/** The result of both windows for one request, which is admitted when both admit it. */
export interface RateLimitResult {
  second: WindowResult;
  month: WindowResult;
}

export interface RateLimiterEvents {
  /** The store of the counters failed or timed out; requests are admitted from memory meanwhile. */
  onStoreFailure: (error: unknown) => void;
}

/**
 * Counts the requests of each tenant in a sliding second and in a calendar month (UTC). A request that the second refuses
 * does not count in the month. Never rejects: without its store it admits from memory, up to this gateway's share.
 */
export abstract class RateLimiter {
  abstract take(tenantId: string, limits: RequestLimits): RateLimitResult | Promise<RateLimitResult>;
  /** Counts a request in the month only, for work that came in over a queue. */
  abstract takeMonthly(tenantId: string, perMonth: number): WindowResult | Promise<WindowResult>;
  /** Requests of the current month at all gateways. Rejects when the store is unavailable. */
  abstract getMonthlyUsage(tenantId: string): Promise<number>;
  /** Writes the requests that are not stored yet. */
  abstract close(): Promise<void>;
}
