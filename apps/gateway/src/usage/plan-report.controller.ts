import { Body, Post } from '@nestjs/common';
import { planReport, type PlanReport, planReportRequest, type PlanReportRequest } from '@app/dto';
import { Returns } from '@app/service';
import { InternalServiceController } from './internal-service.guard.js';
import { PlanReportService } from './plan-report.service.js';

/** Monthly usage and recent refusals of a tenant, for identity's portal. */
@InternalServiceController('internal/plan-reports', 'identity')
export class PlanReportController {
  constructor(private readonly reports: PlanReportService) {}

  @Post()
  @Returns(planReport)
  report(@Body({ schema: planReportRequest }) { ownerId: tenantId }: PlanReportRequest): Promise<PlanReport> {
    return this.reports.getReport(tenantId);
  }
}
