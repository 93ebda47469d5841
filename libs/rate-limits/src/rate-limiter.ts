import type { WindowResult } from './sliding-window-log.js';

export interface TenantLimits {
  perSecond: number;
  perMonth: number;
}

/** What both windows say about one request. It is admitted when both of them are. */
export interface RateLimitResult {
  second: WindowResult;
  month: WindowResult;
}

/**
 * Counts the requests of plan holders, a sliding second and a calendar month in UTC. What the second refuses does not
 * count in the month. Never fails: what cannot be looked up is admitted from memory, up to this gateway's share.
 */
export abstract class RateLimiter {
  abstract take(holderId: string, limits: TenantLimits): RateLimitResult | Promise<RateLimitResult>;
  /** Counts a request that is in no hurry: in the month only. */
  abstract takeMonthly(holderId: string, perMonth: number): WindowResult | Promise<WindowResult>;
  /** What is used of the current month, by all gateways together. Rejects when the store cannot be asked. */
  abstract getMonthlyUsage(holderId: string): Promise<number>;
  /** Hands over what is not booked yet. */
  abstract close(): Promise<void>;
}
