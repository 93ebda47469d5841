import { Body, Post } from '@nestjs/common';
import { planUsageResponse, type PlanUsageResponse, planUsageRequest, type PlanUsageRequest } from '@app/dto';
import { Returns } from '@app/service';
import { InternalServiceController } from './internal-service.guard.js';
import { PlanUsageService } from './plan-usage.service.js';

/**
 * Counts what the pipeline cannot: checks that internal services put on the queue (contract.md section 5), and OAuth requests
 * of client applications that identity authenticates.
 */
@InternalServiceController('internal/plan-usage', 'token-gating', 'identity')
export class PlanUsageController {
  constructor(private readonly usage: PlanUsageService) {}

  @Post()
  @Returns(planUsageResponse)
  async count(
    @Body({ schema: planUsageRequest }) { clientIds }: PlanUsageRequest,
  ): Promise<PlanUsageResponse> {
    return { outcomes: await this.usage.countRequests(clientIds) };
  }
}
