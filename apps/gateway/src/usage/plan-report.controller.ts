import { Body, Controller, Post, UseGuards, UsePipes } from '@nestjs/common';
import { ApiExcludeController } from '@nestjs/swagger';
import { Internal, PrincipalGuard } from '@app/auth';
import { planReport, type PlanReport, planReportRequest, type PlanReportRequest } from '@app/dto';
import { createValidationPipe, BodyParserGuard, Returns } from '@app/service';
import { AllowedService, InternalServiceGuard } from './internal-service.guard.js';
import { PlanReportService } from './plan-report.service.js';

/** Monthly usage and recent refusals of a tenant, for identity's portal. */
@Internal()
@AllowedService('identity')
@ApiExcludeController()
@Controller('internal/plan-reports')
@UseGuards(InternalServiceGuard, PrincipalGuard, BodyParserGuard)
export class PlanReportController {
  constructor(private readonly reports: PlanReportService) {}

  @Post()
  @UsePipes(createValidationPipe())
  @Returns(planReport)
  report(@Body({ schema: planReportRequest }) { ownerId: tenantId }: PlanReportRequest): Promise<PlanReport> {
    return this.reports.getReport(tenantId);
  }
}
