import type { MonthLimits } from './month-limits.js';
import { type HolderLimits, type HolderWindows, RequestLimits } from './request-limits.js';
import type { SecondLimits } from './second-limits.js';
import type { WindowState } from './sliding-second.js';

/** For one gateway: seconds in memory, months leased in blocks from PostgreSQL. */
export class MemoryRequestLimits extends RequestLimits {
  constructor(
    private readonly seconds: SecondLimits,
    private readonly months: MonthLimits,
  ) {
    super();
  }

  take(holderId: string, { perSecond, perMonth }: HolderLimits): HolderWindows | Promise<HolderWindows> {
    const second = this.seconds.take(holderId, perSecond);
    if (!second.admitted) return { second, month: this.months.peek(holderId, perMonth) };
    const month = this.months.take(holderId, perMonth);
    return month instanceof Promise ? month.then((state) => ({ second, month: state })) : { second, month };
  }

  takeMonth(holderId: string, perMonth: number): WindowState | Promise<WindowState> {
    return this.months.take(holderId, perMonth);
  }

  usedThisMonth(holderId: string): Promise<number> {
    return this.months.used(holderId);
  }

  close(): Promise<void> {
    return this.months.close();
  }
}
