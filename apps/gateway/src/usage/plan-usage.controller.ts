import { Body, Post } from '@nestjs/common';
import { planUsageResponse, type PlanUsageResponse, planUsageRequest, type PlanUsageRequest } from '@app/dto';
import { Returns } from '@app/service';
import { InternalServiceController } from './internal-service.guard.js';
import { PlanUsageService } from './plan-usage.service.js';

/** Lets token-gating count the checks that internal services put on the queue (contract.md section 5). */
@InternalServiceController('internal/plan-usage', 'token-gating')
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
