import { Caller, type Principal, signedInUser } from '@app/auth';
import type { Conflicts } from '@app/contract';
import { Operation, Returns } from '@app/service';
import { Body, Controller, Get, Header, HttpCode, Param, Post, Put, Query } from '@nestjs/common';
import { ApiOkResponse } from '@nestjs/swagger';
import { AuditTrail } from '../audit/audit-trail.js';
import { clientApplication } from '../client-applications/client-application.dto.js';
import { type ApplicationParams, applicationParams } from '../client-applications/credential.dto.js';
import { toApplicationAnswer } from '../client-applications/to-answer.js';
import { Approvals } from '../clients/approvals.js';
import { PlanHolders } from '../clients/plan-holders.js';
import { ApprovalQueue } from './approval-queue.js';
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
import { Operators } from './operators.js';
import { toAuditAnswer, toPendingAnswer } from './to-answer.js';

const ofOperator = (summary: string, conflicts?: Conflicts) =>
  Operation({
    caller: 'user',
    scope: 'operator',
    summary,
    description: 'For operators who signed in at most 15 minutes ago. Every call is recorded.',
    conflicts,
  });

/** Where a decision is about a revision that the operator has seen. */
const CHANGED = { application_changed: 'it was changed meanwhile' };

/** What operators decide. Who is one says the configuration, not a scope alone. */
@Controller('operator')
export class OperatorController {
  constructor(
    private readonly operators: Operators,
    private readonly queue: ApprovalQueue,
    private readonly approvals: Approvals,
    private readonly planHolders: PlanHolders,
    private readonly trail: AuditTrail,
  ) {}

  @Get('client-applications')
  @ofOperator('Client applications that wait for approval')
  @Header('Cache-Control', 'no-store')
  @Returns(pendingApplications)
  async listPendingApplications(@Caller() caller: Principal) {
    const waiting = await this.queue.list(this.actorOf(caller));
    return { items: waiting.map(toPendingAnswer) };
  }

  @Post('client-applications/:clientId/approvals')
  @ofOperator('Approve a client application, with all the scopes that wait or with some of them', CHANGED)
  @Returns(clientApplication)
  async approveApplication(
    @Caller() caller: Principal,
    @Param({ schema: applicationParams }) { clientId }: ApplicationParams,
    @Body({ schema: approvalRequest }) body: ApprovalRequest,
  ) {
    return toApplicationAnswer(await this.approvals.approve(this.actorOf(caller), clientId, body));
  }

  @Post('client-applications/:clientId/rejections')
  @ofOperator('Reject a client application', CHANGED)
  @Returns(clientApplication)
  async rejectApplication(
    @Caller() caller: Principal,
    @Param({ schema: applicationParams }) { clientId }: ApplicationParams,
    @Body({ schema: rejectionRequest }) body: RejectionRequest,
  ) {
    return toApplicationAnswer(await this.approvals.reject(this.actorOf(caller), clientId, body));
  }

  @Put('plan-holders/:ownerId/plan')
  @ofOperator('Set the plan of a plan holder')
  @HttpCode(200)
  @ApiOkResponse()
  async setPlan(
    @Caller() caller: Principal,
    @Param({ schema: ownerParams }) { ownerId }: OwnerParams,
    @Body({ schema: planChange }) body: PlanChange,
  ): Promise<void> {
    await this.planHolders.setPlan(this.actorOf(caller), ownerId, toPlanTerms(body));
  }

  @Get('audit-records')
  @ofOperator('Who did what: the newest 100 records')
  @Header('Cache-Control', 'no-store')
  @Returns(auditRecords)
  async listAuditRecords(@Caller() caller: Principal, @Query({ schema: auditQuery }) { target }: AuditQuery) {
    const records = await this.trail.list(this.actorOf(caller), target);
    return { items: records.map(toAuditAnswer) };
  }

  private actorOf(caller: Principal) {
    return this.operators.actorFor(signedInUser(caller));
  }
}
