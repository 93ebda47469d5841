import { type BeforeApplicationShutdown, Injectable } from '@nestjs/common';
import { MonthLimits } from '@app/shared-state';

/** Gives unused leases back while the database is still connected: it closes one step later. */
@Injectable()
export class CountersShutdown implements BeforeApplicationShutdown {
  constructor(private readonly months: MonthLimits) {}

  beforeApplicationShutdown(): Promise<void> {
    return this.months.close();
  }
}
