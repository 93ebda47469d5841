import { type BeforeApplicationShutdown, Injectable } from '@nestjs/common';
import { Refusals, RequestLimits } from '@app/shared-state';

/** Hands over what is not booked while the store is still connected: it closes one step later. */
@Injectable()
export class CountersShutdown implements BeforeApplicationShutdown {
  constructor(
    private readonly limits: RequestLimits,
    private readonly refusals: Refusals,
  ) {}

  async beforeApplicationShutdown(): Promise<void> {
    await this.refusals.close();
    await this.limits.close();
  }
}
