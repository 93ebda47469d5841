import { type BeforeApplicationShutdown, Injectable } from '@nestjs/common';
import { RefusalStore, RateLimiter } from '@app/rate-limits';

/** Writes unsynced counters before shutdown; the store disconnects in the next shutdown phase. */
@Injectable()
export class CounterFlushService implements BeforeApplicationShutdown {
  constructor(
    private readonly rateLimiter: RateLimiter,
    private readonly refusals: RefusalStore,
  ) {}

  async beforeApplicationShutdown(): Promise<void> {
    await this.refusals.close();
    await this.rateLimiter.close();
  }
}
