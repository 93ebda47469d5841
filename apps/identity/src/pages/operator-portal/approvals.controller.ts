import { FormBody } from '@app/service';
import { Body, Get, Param, Post, Req, Res } from '@nestjs/common';
import type { Request, Response } from 'express';
import { APPROVAL_SCOPES, type Scope, SCOPES } from '@app/dto';
import { z } from 'zod';
import type { Actor } from '../../applications/audit/audit-action.js';
import { ApprovalsService } from '../../applications/approvals.service.js';
import { PendingApplicationsService } from '../../operators/pending-applications.service.js';
import { PageController } from '../page-controller.decorator.js';
import { type SignedInSession, CurrentSignedInSession } from '../sessions/page-session.decorator.js';
import { PageRenderer } from '../views/page-renderer.js';
import { OperatorSessionService } from './operator-session.service.js';
import type { ClientApplication } from '../../applications/entities/client-application.entity.js';
import { getSignInOrigins } from '../../applications/get-sign-in-origins.js';
import { isReviewed, toWanted } from '../../applications/reviewed-values.js';
import { selectScopesForApproval } from '../../applications/approval-state.js';
import { formatDay } from '../views/format-values.js';
import type { PendingApprovalView, ReviewedAddress } from '../views/page-views.js';
import { describeClientType } from '../portal/application-view.js';

const revision = z
  .string()
  .regex(/^\d{1,9}$/)
  .transform(Number);

const approvalForm = z.object({ revision }).catchall(z.string());
type ApprovalForm = z.output<typeof approvalForm>;

const parseApprovedScopes = (form: ApprovalForm): Scope[] =>
  APPROVAL_SCOPES.filter((scope) => form[`scope.${scope}`] === 'on');

const rejectionForm = z.object({ revision, reason: z.string().trim().min(1).max(500) });
type RejectionForm = z.output<typeof rejectionForm>;

const PATH = 'portal/approvals';
const PAGE = { title: 'Approvals', section: 'approvals' } as const;

/** Approval of applications by operators. */
@PageController(PATH)
export class ApprovalsController {
  constructor(
    private readonly operators: OperatorSessionService,
    private readonly pendingApplications: PendingApplicationsService,
    private readonly approvals: ApprovalsService,
    private readonly pages: PageRenderer,
  ) {}

  @Get()
  async list(
    @CurrentSignedInSession() session: SignedInSession,
    @Req() request: Request,
    @Res() response: Response,
  ): Promise<void> {
    const actor = this.getActor(session, request);
    const pending = await this.pendingApplications.listPending(actor);
    const unreviewed = await this.pendingApplications.listUnreviewed(actor);
    const view = {
      pending: pending.map(toPendingApprovalView),
      unreviewed: unreviewed.map(toPendingApprovalView),
    };
    this.pages.send(response, 'approvals', view, { ...PAGE, session });
  }

  @Post(':id/approve')
  @FormBody()
  async approve(
    @CurrentSignedInSession() session: SignedInSession,
    @Param('id') id: string,
    @Body({ schema: approvalForm }) form: ApprovalForm,
    @Req() request: Request,
    @Res() response: Response,
  ): Promise<void> {
    const approval = { scopes: parseApprovedScopes(form), revision: form.revision };
    await this.approvals.approve(this.getActor(session, request), id, approval);
    response.redirect(303, `/${PATH}`);
  }

  @Post(':id/reject')
  @FormBody()
  async reject(
    @CurrentSignedInSession() session: SignedInSession,
    @Param('id') id: string,
    @Body({ schema: rejectionForm }) form: RejectionForm,
    @Req() request: Request,
    @Res() response: Response,
  ): Promise<void> {
    await this.approvals.reject(this.getActor(session, request), id, form);
    response.redirect(303, `/${PATH}`);
  }

  private getActor({ user }: SignedInSession, { path }: Request): Actor {
    return this.operators.getActor(user, path);
  }
}

function toPendingApprovalView(application: ClientApplication): PendingApprovalView {
  const wanted = toWanted(application);
  const approved = isReviewed(application) ? application : undefined;
  return {
    id: wanted.id,
    name: wanted.name,
    ...(approved && { approved: { name: approved.name, iconUrl: approved.iconUrl } }),
    owner: { id: wanted.ownerId, name: wanted.owner.name },
    type: describeClientType(wanted.type),
    iconUrl: wanted.iconUrl,
    redirectUris: compare(wanted.redirectUris, approved?.redirectUris),
    postLogoutRedirectUris: compare(wanted.postLogoutRedirectUris, approved?.postLogoutRedirectUris),
    origins: compare(getSignInOrigins(wanted), approved && getSignInOrigins(approved)),
    implicit: wanted.implicit,
    since: formatDay(wanted.updatedAt),
    revision: wanted.revision,
    scopes: selectScopesForApproval(wanted).map((scope) => ({
      field: `scope.${scope}`,
      scope,
      label: SCOPES[scope],
    })),
  };
}

const compare = (wanted: readonly string[], approved: readonly string[] = wanted): ReviewedAddress[] =>
  wanted.map((text) => ({ text, isNew: !approved.includes(text) }));
