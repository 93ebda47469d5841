import { PermanentJobError, RetryLaterError } from '@app/queues';
import { Injectable } from '@nestjs/common';
import { PlanUsageClient } from '../../clients/plan-usage-client.js';

const GATEWAY_RETRY_MS = 5_000;

/** Counts queued checks on the plan of their client application (contract.md section 5). */
@Injectable()
export class QueuedCheckUsageService {
  constructor(private readonly usage: PlanUsageClient) {}

  /** @throws PermanentJobError when the plan has no request left, RetryLaterError while the gateway is unavailable */
  async countCheck(clientId: string): Promise<void> {
    switch (await this.usage.countRequest(clientId)) {
      case 'counted':
        return;
      case 'unknown_client':
        throw new PermanentJobError('clientId: there is no such client application');
      case 'month_used_up':
        throw new PermanentJobError("clientId: the requests of this month's plan are used up");
      case undefined:
        throw new RetryLaterError(GATEWAY_RETRY_MS);
    }
  }
}
