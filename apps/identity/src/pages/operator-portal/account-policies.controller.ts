import { notFound } from '@app/common';
import { FormBody } from '@app/service';
import { Body, Get, Param, Post, Query, Req, Res } from '@nestjs/common';
import type { Request, Response } from 'express';
import { z } from 'zod';
import type { Actor } from '../../applications/audit/audit-action.js';
import type { AuditEntry } from '../../applications/audit/audit-records.queries.js';
import { OperatorActionsService } from '../../operators/operator-actions.service.js';
import { AccountKitClient } from '../../clients/account-kit-client.js';
import { PageController } from '../page-controller.decorator.js';
import { type SignedInSession, CurrentSignedInSession } from '../sessions/page-session.decorator.js';
import { PageRenderer } from '../views/page-renderer.js';
import type { AccountPolicyView } from '../views/page-views.js';
import { OperatorSessionService } from './operator-session.service.js';

const PATH = 'portal/account-policies';
const PAGE = { section: 'account-policies' } as const;

const policySearch = z.object({ id: z.string().trim().min(1).max(64).optional().catch(undefined) });
type PolicySearch = z.output<typeof policySearch>;

/** The field is empty where the operator saw no policy. */
const seenRevision = z
  .string()
  .max(64)
  .optional()
  .transform((text) => (text === '' ? undefined : text));

const removalForm = z.object({ revision: seenRevision });
type RemovalForm = z.output<typeof removalForm>;
const policyForm = removalForm.extend({ document: z.string() });
type PolicyForm = z.output<typeof policyForm>;

const CONFLICT =
  'Another operator changed this policy after you opened the page. Your text was not saved. Saving it now replaces their policy: compare it first with the audit log.';
const REMOVAL_CONFLICT =
  'Another operator changed this policy after you opened the page, and it was not removed. This is the policy now.';

/** What the page shows again, with the reason. */
interface Resubmitted {
  readonly document?: string;
  /** The revision of the policy that the operator saw; by default that of the present policy. */
  readonly revision?: string | undefined;
  readonly problem: string;
  readonly status: 409 | 422;
}

const toRevision = (revision: string | undefined): { revision?: string } =>
  revision === undefined ? {} : { revision };

/** What smart accounts may do for client applications, for operators. */
@PageController(PATH)
export class AccountPoliciesController {
  constructor(
    private readonly operators: OperatorSessionService,
    private readonly actions: OperatorActionsService,
    private readonly accountKit: AccountKitClient,
    private readonly pages: PageRenderer,
  ) {}

  @Get()
  search(
    @CurrentSignedInSession() session: SignedInSession,
    @Query({ schema: policySearch }) { id }: PolicySearch,
    @Req() request: Request,
    @Res() response: Response,
  ): void {
    this.getActor(session, request);
    if (id !== undefined) response.redirect(303, `/${PATH}/${encodeURIComponent(id)}`);
    else
      this.pages.send(response, 'account-policy-search', {}, { ...PAGE, title: 'Account policies', session });
  }

  @Get(':id')
  async show(
    @CurrentSignedInSession() session: SignedInSession,
    @Param('id') id: string,
    @Req() request: Request,
    @Res() response: Response,
  ): Promise<void> {
    await this.record(session, request, { action: 'account-policy.viewed', target: id }, id);
    await this.send(session, response, id);
  }

  @Post(':id')
  @FormBody()
  async set(
    @CurrentSignedInSession() session: SignedInSession,
    @Param('id') id: string,
    @Body({ schema: policyForm }) { document, revision }: PolicyForm,
    @Req() request: Request,
    @Res() response: Response,
  ): Promise<void> {
    this.getActor(session, request);
    const checked = await this.accountKit.checkPolicy({ document });
    if (!checked.isValid) {
      await this.send(session, response, id, { document, revision, problem: checked.problem, status: 422 });
      return;
    }
    const { auditDetails: details } = checked;
    await this.record(session, request, { action: 'account-policy.set', target: id, details }, id);
    const { isDone } = await this.accountKit.setPolicy({ clientId: id, document, ...toRevision(revision) });
    if (!isDone) {
      await this.send(session, response, id, { document, problem: CONFLICT, status: 409 });
      return;
    }
    response.redirect(303, `/${PATH}/${encodeURIComponent(id)}`);
  }

  @Post(':id/remove')
  @FormBody()
  async remove(
    @CurrentSignedInSession() session: SignedInSession,
    @Param('id') id: string,
    @Body({ schema: removalForm }) { revision }: RemovalForm,
    @Req() request: Request,
    @Res() response: Response,
  ): Promise<void> {
    await this.record(session, request, { action: 'account-policy.removed', target: id });
    const { isDone } = await this.accountKit.removePolicy({ clientId: id, ...toRevision(revision) });
    if (!isDone) {
      await this.send(session, response, id, { problem: REMOVAL_CONFLICT, status: 409 });
      return;
    }
    response.redirect(303, `/${PATH}/${encodeURIComponent(id)}`);
  }

  private async send(
    session: SignedInSession,
    response: Response,
    id: string,
    resubmitted?: Resubmitted,
  ): Promise<void> {
    const stored = await this.accountKit.loadPolicy({ clientId: id });
    const { document, default: defaultPolicy } = stored;
    const view: AccountPolicyView = {
      id,
      hasPolicy: document !== null,
      defaultPolicy,
      revision: resubmitted?.revision ?? stored.revision,
      form: {
        document: resubmitted?.document ?? document ?? '',
        problems: resubmitted ? { document: resubmitted.problem } : {},
      },
    };
    const options = { ...PAGE, title: 'Account policy', session, status: resubmitted?.status ?? 200 };
    this.pages.send(response, 'account-policy', view, options);
  }

  /** @param clientId a client application that must exist */
  private async record(
    session: SignedInSession,
    request: Request,
    entry: AuditEntry,
    clientId?: string,
  ): Promise<void> {
    const outcome = await this.actions.recordAs(this.getActor(session, request), entry, clientId);
    if (outcome === 'client_not_found')
      throw notFound('client_not_found', `No client application has the id ${String(clientId)}.`);
  }

  private getActor({ user }: SignedInSession, { path }: Request): Actor {
    return this.operators.getActor(user, path);
  }
}
