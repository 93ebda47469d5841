import { FormBody } from '@app/service';
import { Body, Get, Param, Post, Req, Res } from '@nestjs/common';
import type { Request, Response } from 'express';
import { APPROVAL_SCOPES, type Scope, SCOPES } from '@app/dto';
import { z } from 'zod';
import type { Actor } from '../../applications/audit/audit-action.js';
import { approvalMessage } from '../../applications/approval-message.js';
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
import { formatDuration, formatMinute } from '../views/format-values.js';
import { findWaitingTime } from '../portal/approval-view.js';
import type {
  ApprovalForm as ApprovalFormName,
  PendingApprovalView,
  ReviewedAddress,
} from '../views/operator-views.js';
import { describeClientType } from '../portal/application-view.js';

const revision = z
  .string()
  .regex(/^\d{1,9}$/)
  .transform(Number);

const approvalForm = z.object({ revision, message: z.string().default('') }).catchall(z.string());
type ApprovalForm = z.output<typeof approvalForm>;

const parseApprovedScopes = (form: ApprovalForm): Scope[] =>
  APPROVAL_SCOPES.filter((scope) => form[`scope.${scope}`] === 'on');

const messageForm = z.object({ message: z.string().default('') });
type MessageForm = z.output<typeof messageForm>;

const rejectionForm = z.object({ revision, reason: z.string().default('') });
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
    await this.send(session, request, response);
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
    const actor = this.getActor(session, request);
    const approval = { scopes: parseApprovedScopes(form), revision: form.revision };
    // Blank text is no message.
    const message = form.message.trim() === '' ? undefined : approvalMessage.safeParse(form.message);
    if (message?.success === false) {
      await this.send(session, request, response, toResubmitted(id, 'approve', form.message, message.error));
      return;
    }
    await this.approvals.approve(actor, id, { ...approval, ...(message && { message: message.data }) });
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
    const actor = this.getActor(session, request);
    const reason = approvalMessage.safeParse(form.reason);
    if (!reason.success) {
      await this.send(session, request, response, toResubmitted(id, 'reject', form.reason, reason.error));
      return;
    }
    await this.approvals.reject(actor, id, { revision: form.revision, reason: reason.data });
    response.redirect(303, `/${PATH}`);
  }

  @Post(':id/message')
  @FormBody()
  async sendMessage(
    @CurrentSignedInSession() session: SignedInSession,
    @Param('id') id: string,
    @Body({ schema: messageForm }) form: MessageForm,
    @Req() request: Request,
    @Res() response: Response,
  ): Promise<void> {
    const actor = this.getActor(session, request);
    const message = approvalMessage.safeParse(form.message);
    if (!message.success) {
      await this.send(session, request, response, toResubmitted(id, 'message', form.message, message.error));
      return;
    }
    await this.approvals.sendMessage(actor, id, message.data);
    response.redirect(303, `/${PATH}`);
  }

  private async send(
    session: SignedInSession,
    request: Request,
    response: Response,
    resubmitted?: Resubmitted,
  ): Promise<void> {
    const actor = this.getActor(session, request);
    const pending = await this.pendingApplications.listPending(actor);
    const unreviewed = await this.pendingApplications.listUnreviewed(actor);
    const toView = (application: ClientApplication): PendingApprovalView => ({
      ...toPendingApprovalView(application),
      ...(resubmitted?.id === application.id && { problem: resubmitted.problem }),
    });
    const view = { pending: pending.map(toView), unreviewed: unreviewed.map(toView) };
    this.pages.send(response, 'approvals', view, { ...PAGE, session, status: resubmitted ? 422 : 200 });
  }

  private getActor({ user }: SignedInSession, { path }: Request): Actor {
    return this.operators.getActor(user, path);
  }
}

/** A form about an application to show again. */
interface Resubmitted {
  readonly id: string;
  readonly problem: NonNullable<PendingApprovalView['problem']>;
}

const toResubmitted = (
  id: string,
  form: ApprovalFormName,
  text: string,
  { issues }: z.ZodError,
): Resubmitted => ({
  id,
  problem: { form, text, message: `This ${issues[0]?.message ?? 'is invalid'}.` },
});

function toPendingApprovalView(application: ClientApplication): PendingApprovalView {
  const wanted = toWanted(application);
  const approved = isReviewed(application) ? application : undefined;
  const since = findWaitingTime(wanted);
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
    since: formatMinute(since),
    duration: formatDuration(Date.now() - since.getTime()),
    ownerMessage: wanted.ownerMessage,
    operatorMessage: wanted.operatorMessage,
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
