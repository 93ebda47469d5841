import { PermanentFailure, RetryLater } from '@app/queues';
import { Injectable } from '@nestjs/common';
import { PlanUsage } from '../plan-usage/plan-usage.js';

const GATEWAY_AWAY_MS = 5_000;

/** Counts a check that came over the queue on its client application's plan (contract.md section 5). */
@Injectable()
export class CountQueuedCheck {
  constructor(private readonly usage: PlanUsage) {}

  /** @throws PermanentFailure when the plan does not admit it, RetryLater while nobody can say */
  async count(clientId: string): Promise<void> {
    switch (await this.usage.count(clientId)) {
      case 'counted':
        return;
      case 'unknown_client':
        throw new PermanentFailure('clientId: there is no such client application');
      case 'month_used_up':
        throw new PermanentFailure("clientId: the requests of this month's plan are used up");
      case undefined:
        throw new RetryLater(GATEWAY_AWAY_MS);
    }
  }
}
