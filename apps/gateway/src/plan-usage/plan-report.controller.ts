import { Body, Controller, Post, UseGuards, UsePipes } from '@nestjs/common';
import { ApiExcludeController } from '@nestjs/swagger';
import { Internal, PrincipalGuard } from '@app/auth';
import { planReport, type PlanReport, planReportQuestion, type PlanReportQuestion } from '@app/dto';
import { createValidationPipe, ReadBodyGuard, Returns } from '@app/service';
import { AdmitServiceGuard } from './admit-service.guard.js';
import { ForService } from './for-service.decorator.js';
import { PlanReportService } from './plan-report.service.js';

/** What identity tells a plan holder about their requests. */
@Internal()
@ForService('identity')
@ApiExcludeController()
@Controller('internal/plan-reports')
@UseGuards(AdmitServiceGuard, PrincipalGuard, ReadBodyGuard)
export class PlanReportController {
  constructor(private readonly reports: PlanReportService) {}

  @Post()
  @UsePipes(createValidationPipe())
  @Returns(planReport)
  report(@Body({ schema: planReportQuestion }) { ownerId }: PlanReportQuestion): Promise<PlanReport> {
    return this.reports.of(ownerId);
  }
}
