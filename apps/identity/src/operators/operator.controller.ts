import { CurrentPrincipal, type Principal, requireSignedInUser } from '@app/auth';
import { Operation, type OperationOptions, Returns, ReturnsNothing, InternalController } from '@app/service';
import { Body, Controller, Delete, Get, Header, Param, Post, Put, Query } from '@nestjs/common';
import { AuditRecordsService } from '../applications/audit/audit-records.service.js';
import {
  clientApplication,
  PORTAL_SCOPE_EXAMPLE,
  toClientApplicationResponse,
} from '../applications/client-application.dto.js';
import { type ApplicationParams, applicationParams } from '../applications/credentials/credential.dto.js';
import { ApprovalsService } from '../applications/approvals.service.js';
import { PlansService } from '../applications/plans/plans.service.js';
import { PendingApplicationsService } from './pending-applications.service.js';
import {
  type ApprovalRequest,
  approvalRequest,
  type AuditQuery,
  auditQuery,
  auditRecords,
  type ErasedUserParams,
  erasedUserParams,
  givenUsernameParams,
  type OwnerParams,
  ownerParams,
  pendingApplications,
  type PlanChange,
  planChange,
  type RejectionRequest,
  rejectionRequest,
  supervisedCommunityParams,
  type SupervisedCommunityParams,
  supervisedCommunityResponse,
  type SuspensionRequest,
  suspensionRequest,
  toAuditRecordResponse,
  toPendingApplicationResponse,
  toPlanTerms,
  toSupervisedCommunityResponse,
  type UsernameOwner,
  usernameOwner,
  type UsernameParams,
  usernameParams,
} from './operator.dto.js';
import { OperatorUsernamesService, UserErasureService } from './operator-users.service.js';
import { CommunitySuspensionsService } from './community-suspensions.service.js';
import { OperatorsService } from './operators.service.js';
import {
  type OperatorActionRequest,
  operatorActionRequest,
  type OperatorActionResponse,
  operatorActionResponse,
} from '@app/dto';
import { OperatorActionsService } from './operator-actions.service.js';

const OperatorOperation = (
  summary: string,
  more: Pick<OperationOptions, 'description' | 'conflicts' | 'errors'>,
) =>
  Operation({
    caller: 'user',
    scope: 'operator',
    summary,
    description: more.description,
    conflicts: more.conflicts,
    errors: ['403 operator_required', '403 recent_login_required', ...(more.errors ?? [])],
    requiresWalletLogin: true,
    example: PORTAL_SCOPE_EXAMPLE,
  });

const COMMUNITY_ERRORS = ['404 community_not_found', '503 communities_unavailable'] as const;

const REVISION_CONFLICT = { client_conflict: 'the application was changed since this revision' };

/** Operators' decisions. Requires a configured operator account in addition to the scope. */
@Controller('operator')
export class OperatorController {
  constructor(
    private readonly operators: OperatorsService,
    private readonly pendingApplications: PendingApplicationsService,
    private readonly approvals: ApprovalsService,
    private readonly plans: PlansService,
    private readonly auditRecords: AuditRecordsService,
    private readonly erasures: UserErasureService,
    private readonly suspensions: CommunitySuspensionsService,
    private readonly usernames: OperatorUsernamesService,
  ) {}

  @Get('client-applications')
  @OperatorOperation('Client applications that wait for approval', {
    description:
      'Each with its owner, its values as they were last changed, and the scopes that need a decision.',
  })
  @Header('Cache-Control', 'no-store')
  @Returns(pendingApplications)
  async listPendingApplications(@CurrentPrincipal() caller: Principal) {
    const pending = await this.pendingApplications.listPending(this.authorize(caller));
    return { items: pending.map(toPendingApplicationResponse) };
  }

  @Post('client-applications/:clientId/approvals')
  @OperatorOperation('Approve all or some of the scopes that a client application waits for', {
    description:
      'Approved scopes and values are in force from then on, and its owner reads the decision in the portal. The body names ' +
      'the revision that the operator looked at.',
    conflicts: REVISION_CONFLICT,
    errors: ['400 scope_invalid', '404 client_not_found'],
  })
  @Returns(clientApplication)
  async approveApplication(
    @CurrentPrincipal() caller: Principal,
    @Param({ schema: applicationParams }) { clientId }: ApplicationParams,
    @Body({ schema: approvalRequest }) body: ApprovalRequest,
  ) {
    return toClientApplicationResponse(await this.approvals.approve(this.authorize(caller), clientId, body));
  }

  @Post('client-applications/:clientId/rejections')
  @OperatorOperation('Reject a client application', {
    description:
      'The application goes on with what was approved before, and its owner reads the reason. The body names the revision ' +
      'that the operator looked at.',
    conflicts: REVISION_CONFLICT,
    errors: ['404 client_not_found'],
  })
  @Returns(clientApplication)
  async rejectApplication(
    @CurrentPrincipal() caller: Principal,
    @Param({ schema: applicationParams }) { clientId }: ApplicationParams,
    @Body({ schema: rejectionRequest }) body: RejectionRequest,
  ) {
    return toClientApplicationResponse(await this.approvals.reject(this.authorize(caller), clientId, body));
  }

  @Put('plan-holders/:ownerId/plan')
  @OperatorOperation('Set the plan of a tenant', {
    description:
      'The limits of the plan apply to all applications of the tenant within seconds. What a tenant has stays when a plan ' +
      'gets smaller.',
    errors: ['404 tenant_not_found'],
  })
  @ReturnsNothing()
  async setPlan(
    @CurrentPrincipal() caller: Principal,
    @Param({ schema: ownerParams }) { ownerId }: OwnerParams,
    @Body({ schema: planChange }) body: PlanChange,
  ): Promise<void> {
    await this.plans.setPlan(this.authorize(caller), ownerId, toPlanTerms(body));
  }

  @Post('users/:userId/erasure')
  @OperatorOperation('Erase the person behind a user', {
    description:
      'Ends the sessions, tokens and consents of a user and removes what is stored about the person in every app. It cannot ' +
      'be undone.',
    errors: ['404 user_not_found'],
  })
  @ReturnsNothing()
  async eraseUser(
    @CurrentPrincipal() caller: Principal,
    @Param({ schema: erasedUserParams }) { userId }: ErasedUserParams,
  ): Promise<void> {
    await this.erasures.erase(this.authorize(caller), userId);
  }

  @Put('usernames/:username')
  @OperatorOperation('Give a username to a user, and take it from whoever has it', {
    description:
      'For names that are reserved or were used before. Whoever had it is left without a username and chooses another one.',
    errors: ['404 user_not_found'],
  })
  @ReturnsNothing()
  async giveUsername(
    @CurrentPrincipal() caller: Principal,
    @Param({ schema: givenUsernameParams }) { username }: UsernameParams,
    @Body({ schema: usernameOwner }) { userId }: UsernameOwner,
  ): Promise<void> {
    await this.usernames.give(this.authorize(caller), username, userId);
  }

  @Delete('usernames/:username')
  @OperatorOperation('Take a username from whoever has or had it, so that anybody can choose it', {
    description: 'Nobody has the name afterwards, and it does not count as used.',
    errors: ['404 username_not_found'],
  })
  @ReturnsNothing()
  async freeUsername(
    @CurrentPrincipal() caller: Principal,
    @Param({ schema: usernameParams }) { username }: UsernameParams,
  ): Promise<void> {
    await this.usernames.free(this.authorize(caller), username);
  }

  @Get('communities/:communityId')
  @OperatorOperation('A community, and whether it is suspended', {
    description:
      'Any community, whatever its visibility, with the reason of its suspension if it is suspended.',
    errors: COMMUNITY_ERRORS,
  })
  @Header('Cache-Control', 'no-store')
  @Returns(supervisedCommunityResponse)
  async getCommunity(
    @CurrentPrincipal() caller: Principal,
    @Param({ schema: supervisedCommunityParams }) { communityId }: SupervisedCommunityParams,
  ) {
    return toSupervisedCommunityResponse(await this.suspensions.view(this.authorize(caller), communityId));
  }

  @Put('communities/:communityId/suspension')
  @OperatorOperation('Suspend a community', {
    description:
      'It is 404 for members and strangers from now on, nobody joins, and no roles are granted; administrators and attached ' +
      'client applications go on reading it, without the reason.',
    errors: COMMUNITY_ERRORS,
  })
  @ReturnsNothing()
  async suspendCommunity(
    @CurrentPrincipal() caller: Principal,
    @Param({ schema: supervisedCommunityParams }) { communityId }: SupervisedCommunityParams,
    @Body({ schema: suspensionRequest }) { reason }: SuspensionRequest,
  ): Promise<void> {
    await this.suspensions.suspend(this.authorize(caller), communityId, reason);
  }

  @Delete('communities/:communityId/suspension')
  @OperatorOperation('Resume a suspended community: the roles of all members are checked', {
    description: 'The community is seen again as before, and the roles of all members are checked soon.',
    errors: COMMUNITY_ERRORS,
  })
  @ReturnsNothing()
  async resumeCommunity(
    @CurrentPrincipal() caller: Principal,
    @Param({ schema: supervisedCommunityParams }) { communityId }: SupervisedCommunityParams,
  ): Promise<void> {
    await this.suspensions.resume(this.authorize(caller), communityId);
  }

  @Get('audit-records')
  @OperatorOperation('The newest 100 audit records', {
    description:
      "What operators and applications' owners did, newest first; `target` chooses the records about one client application " +
      'or tenant.',
  })
  @Header('Cache-Control', 'no-store')
  @Returns(auditRecords)
  async listAuditRecords(
    @CurrentPrincipal() caller: Principal,
    @Query({ schema: auditQuery }) { target }: AuditQuery,
  ) {
    this.authorize(caller);
    const records = await this.auditRecords.listRecords({ target });
    return { items: records.map(toAuditRecordResponse) };
  }

  private authorize(caller: Principal) {
    return this.operators.authorize(requireSignedInUser(caller));
  }
}

/** Whether a user is an operator who may act at another app, and the audit of it. */
@InternalController('internal/operator-actions', 'account-kit')
export class OperatorActionsController {
  constructor(private readonly actions: OperatorActionsService) {}

  @Post()
  @Returns(operatorActionResponse)
  record(
    @Body({ schema: operatorActionRequest }) request: OperatorActionRequest,
  ): Promise<OperatorActionResponse> {
    return this.actions.record(request);
  }
}
