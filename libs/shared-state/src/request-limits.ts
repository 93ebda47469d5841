import type { WindowState } from './sliding-second.js';

export interface HolderLimits {
  perSecond: number;
  perMonth: number;
}

/** What both windows say about one request. It is admitted when both of them are. */
export interface HolderWindows {
  second: WindowState;
  month: WindowState;
}

/**
 * Counts the requests of plan holders, a sliding second and a calendar month in UTC. What the second refuses does not
 * count in the month. Never fails: what cannot be looked up is admitted from memory, up to this gateway's share.
 */
export abstract class RequestLimits {
  abstract take(holderId: string, limits: HolderLimits): HolderWindows | Promise<HolderWindows>;
  /** Counts a request that is in no hurry: in the month only. */
  abstract takeMonth(holderId: string, perMonth: number): WindowState | Promise<WindowState>;
  /** What is used of the current month, by all gateways together. Rejects when the store cannot be asked. */
  abstract usedThisMonth(holderId: string): Promise<number>;
  /** Hands over what is not booked yet. */
  abstract close(): Promise<void>;
}
