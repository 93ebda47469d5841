import { Body, Controller, Post, UseGuards, UsePipes } from '@nestjs/common';
import { ApiExcludeController } from '@nestjs/swagger';
import { Internal, PrincipalGuard } from '@app/auth';
import { planUsageAnswer, type PlanUsageAnswer, planUsageQuestion, type PlanUsageQuestion } from '@app/dto';
import { createValidationPipe, ReadBodyGuard, Returns } from '@app/service';
import { AdmitServiceGuard } from './admit-service.guard.js';
import { ForService } from './for-service.decorator.js';
import { PlanUsageService } from './plan-usage.service.js';

/** Where token-gating has the checks counted that internal services put on the queue (contract.md section 5). */
@Internal()
@ForService('token-gating')
@ApiExcludeController()
@Controller('internal/plan-usage')
@UseGuards(AdmitServiceGuard, PrincipalGuard, ReadBodyGuard)
export class PlanUsageController {
  constructor(private readonly usage: PlanUsageService) {}

  @Post()
  @UsePipes(createValidationPipe())
  @Returns(planUsageAnswer)
  async count(
    @Body({ schema: planUsageQuestion }) { clientIds }: PlanUsageQuestion,
  ): Promise<PlanUsageAnswer> {
    return { outcomes: await this.usage.count(clientIds) };
  }
}
