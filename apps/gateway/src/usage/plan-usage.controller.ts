import { Body, Controller, Post, UseGuards, UsePipes } from '@nestjs/common';
import { ApiExcludeController } from '@nestjs/swagger';
import { Internal, PrincipalGuard } from '@app/auth';
import { planUsageResponse, type PlanUsageResponse, planUsageRequest, type PlanUsageRequest } from '@app/dto';
import { createValidationPipe, BodyParserGuard, Returns } from '@app/service';
import { AllowedService, InternalServiceGuard } from './internal-service.guard.js';
import { PlanUsageService } from './plan-usage.service.js';

/** Lets token-gating count the checks that internal services put on the queue (contract.md section 5). */
@Internal()
@AllowedService('token-gating')
@ApiExcludeController()
@Controller('internal/plan-usage')
@UseGuards(InternalServiceGuard, PrincipalGuard, BodyParserGuard)
export class PlanUsageController {
  constructor(private readonly usage: PlanUsageService) {}

  @Post()
  @UsePipes(createValidationPipe())
  @Returns(planUsageResponse)
  async count(
    @Body({ schema: planUsageRequest }) { clientIds }: PlanUsageRequest,
  ): Promise<PlanUsageResponse> {
    return { outcomes: await this.usage.countRequests(clientIds) };
  }
}
