import { Body, Post } from '@nestjs/common';
import {
  planUsageResponse,
  type PlanUsageResponse,
  planUsageRequest,
  type PlanUsageRequest,
  planReport,
  type PlanReport,
  planReportRequest,
  type PlanReportRequest,
  userUsageRequest,
  type UserUsageRequest,
  userUsageResponse,
  type UserUsageResponse,
} from '@app/dto';
import { Returns } from '@app/service';
import { InternalServiceController } from './internal-service.guard.js';
import { PlanUsageService, PlanReportService } from './plan-usage.service.js';
import { UserUsageService } from './user-usage.service.js';

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

/** Counts what users do in the portal without a client application, on their tenants. */
@InternalServiceController('internal/user-usage', 'token-gating', 'identity')
export class UserUsageController {
  constructor(private readonly usage: UserUsageService) {}

  @Post()
  @Returns(userUsageResponse)
  async count(
    @Body({ schema: userUsageRequest }) { requests }: UserUsageRequest,
  ): Promise<UserUsageResponse> {
    return { outcomes: await this.usage.countRequests(requests) };
  }
}

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
