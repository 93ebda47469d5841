import { CurrentPrincipal, type Principal, requireSignedInUser } from '@app/auth';
import type { ConflictDescriptions } from '@app/openapi';
import { Operation, Returns } from '@app/service';
import { Body, Controller, Get, Header, HttpCode, Param, Post, Put, Query } from '@nestjs/common';
import { ApiOkResponse } from '@nestjs/swagger';
import { AuditRecordsService } from '../audit/audit-records.service.js';
import { clientApplication } from '../client-application.dto.js';
import { type ApplicationParams, applicationParams } from '../credentials/credential.dto.js';
import { toClientApplicationResponse } from '../client-application.mapper.js';
import { ApprovalsService } from './approvals.service.js';
import { PlansService } from '../plans/plans.service.js';
import { PendingApplicationsService } from './pending-applications.service.js';
import {
  type ApprovalRequest,
  approvalRequest,
  type AuditQuery,
  auditQuery,
  auditRecords,
  type OwnerParams,
  ownerParams,
  pendingApplications,
  type PlanChange,
  planChange,
  type RejectionRequest,
  rejectionRequest,
  toPlanTerms,
} from './operator.dto.js';
import { OperatorsService } from './operators.service.js';
import { toAuditRecordResponse, toPendingApplicationResponse } from './operator.mapper.js';

const OperatorOperation = (summary: string, conflicts?: ConflictDescriptions) =>
  Operation({
    caller: 'user',
    scope: 'operator',
    summary,
    description: 'For operators who signed in at most 15 minutes ago. Every call is recorded.',
    conflicts,
  });

/** Where a decision is about a revision that the operator has seen. */
const REVISION_CONFLICT = { client_conflict: 'it was changed meanwhile' };

/** What operators decide. Who is one says the configuration, not a scope alone. */
@Controller('operator')
export class OperatorController {
  constructor(
    private readonly operators: OperatorsService,
    private readonly queue: PendingApplicationsService,
    private readonly approvals: ApprovalsService,
    private readonly planHolders: PlansService,
    private readonly trail: AuditRecordsService,
  ) {}

  @Get('client-applications')
  @OperatorOperation('Client applications that wait for approval')
  @Header('Cache-Control', 'no-store')
  @Returns(pendingApplications)
  async listPendingApplications(@CurrentPrincipal() caller: Principal) {
    const waiting = await this.queue.listPending(this.actorOf(caller));
    return { items: waiting.map(toPendingApplicationResponse) };
  }

  @Post('client-applications/:clientId/approvals')
  @OperatorOperation(
    'Approve a client application, with all the scopes that wait or with some of them',
    REVISION_CONFLICT,
  )
  @Returns(clientApplication)
  async approveApplication(
    @CurrentPrincipal() caller: Principal,
    @Param({ schema: applicationParams }) { clientId }: ApplicationParams,
    @Body({ schema: approvalRequest }) body: ApprovalRequest,
  ) {
    return toClientApplicationResponse(await this.approvals.approve(this.actorOf(caller), clientId, body));
  }

  @Post('client-applications/:clientId/rejections')
  @OperatorOperation('Reject a client application', REVISION_CONFLICT)
  @Returns(clientApplication)
  async rejectApplication(
    @CurrentPrincipal() caller: Principal,
    @Param({ schema: applicationParams }) { clientId }: ApplicationParams,
    @Body({ schema: rejectionRequest }) body: RejectionRequest,
  ) {
    return toClientApplicationResponse(await this.approvals.reject(this.actorOf(caller), clientId, body));
  }

  @Put('plan-holders/:ownerId/plan')
  @OperatorOperation('Set the plan of a plan holder')
  @HttpCode(200)
  @ApiOkResponse()
  async setPlan(
    @CurrentPrincipal() caller: Principal,
    @Param({ schema: ownerParams }) { ownerId }: OwnerParams,
    @Body({ schema: planChange }) body: PlanChange,
  ): Promise<void> {
    await this.planHolders.setPlan(this.actorOf(caller), ownerId, toPlanTerms(body));
  }

  @Get('audit-records')
  @OperatorOperation('Who did what: the newest 100 records')
  @Header('Cache-Control', 'no-store')
  @Returns(auditRecords)
  async listAuditRecords(
    @CurrentPrincipal() caller: Principal,
    @Query({ schema: auditQuery }) { target }: AuditQuery,
  ) {
    const records = await this.trail.listRecords(this.actorOf(caller), target);
    return { items: records.map(toAuditRecordResponse) };
  }

  private actorOf(caller: Principal) {
    return this.operators.authorize(requireSignedInUser(caller));
  }
}
