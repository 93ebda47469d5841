import { type BeforeApplicationShutdown, Injectable } from '@nestjs/common';
import { RefusalStore, RateLimiter } from '@app/rate-limits';

/** Hands over what is not booked while the store is still connected: it closes one step later. */
@Injectable()
export class CounterFlushService implements BeforeApplicationShutdown {
  constructor(
    private readonly limits: RateLimiter,
    private readonly refusals: RefusalStore,
  ) {}

  async beforeApplicationShutdown(): Promise<void> {
    await this.refusals.close();
    await this.limits.close();
  }
}
