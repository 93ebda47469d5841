import { notFound } from '@app/common';
import type { PolicyIssue } from '@app/dto';
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
import type { AccountPolicyView } from '../views/account-policy-view.js';
import { type FormFields, formFields } from '../portal/application-form.js';
import { OperatorSessionService } from './operator-session.service.js';
import { getPolicyLabels, toPolicyDocument, toPolicyFields, toPolicyFormView } from './policy-form.js';

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
/** As JSON on request; else as fields where they can show the policy. */
const policyQuery = z.object({ as: z.literal('json').optional().catch(undefined) });
type PolicyQuery = z.output<typeof policyQuery>;
const policyForm = removalForm.extend({ document: z.string() });
type PolicyForm = z.output<typeof policyForm>;

const CONFLICT =
  'Another operator changed this policy after you opened the page. Your text was not saved. Saving it now replaces their policy: compare it first with the audit log.';
const REMOVAL_CONFLICT =
  'Another operator changed this policy after you opened the page, and it was not removed. This is the policy now.';

/** What the page shows again, with the reason. */
interface Resubmitted {
  /** Where it was edited as JSON. */
  readonly document?: string;
  readonly fields?: FormFields;
  /** Problems by field, where it was edited as fields. */
  readonly problems?: Readonly<Record<string, string>>;
  /** The revision of the policy that the operator saw; by default that of the present policy. */
  readonly revision?: string | undefined;
  readonly problem: string;
  readonly status: 409 | 422;
}

type SaveOutcome =
  | { readonly isSaved: true }
  | {
      readonly isSaved: false;
      readonly refused: Pick<Resubmitted, 'problem' | 'revision' | 'status'>;
      readonly issues?: readonly PolicyIssue[] | undefined;
    };

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
    @Query({ schema: policyQuery }) { as }: PolicyQuery,
    @Req() request: Request,
    @Res() response: Response,
  ): Promise<void> {
    await this.record(session, request, { action: 'account-policy.viewed', target: id }, id);
    await this.send(session, response, id, { isJson: as === 'json' });
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
    const outcome = await this.save(session, request, { id, document, revision });
    if (outcome.isSaved) response.redirect(303, `/${PATH}/${encodeURIComponent(id)}?as=json`);
    else
      await this.send(session, response, id, { isJson: true, resubmitted: { document, ...outcome.refused } });
  }

  @Post(':id/fields')
  @FormBody('table')
  async setFields(
    @CurrentSignedInSession() session: SignedInSession,
    @Param('id') id: string,
    @Body({ schema: formFields }) { revision: seen, ...fields }: FormFields,
    @Req() request: Request,
    @Res() response: Response,
  ): Promise<void> {
    const revision = seenRevision.parse(seen);
    const { document, fieldOf } = toPolicyDocument(fields);
    const outcome = await this.save(session, request, { id, document, revision });
    if (outcome.isSaved) {
      response.redirect(303, `/${PATH}/${encodeURIComponent(id)}`);
      return;
    }
    const { issues = [] } = outcome;
    const problems = Object.fromEntries(issues.map((issue) => [fieldOf(issue), issue.message]));
    const resubmitted = { fields, problems, ...outcome.refused };
    await this.send(session, response, id, { isJson: false, resubmitted });
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
      const resubmitted = { problem: REMOVAL_CONFLICT, status: 409 } as const;
      await this.send(session, response, id, { isJson: false, resubmitted });
      return;
    }
    response.redirect(303, `/${PATH}/${encodeURIComponent(id)}`);
  }

  /** Checks, records and sets a policy. */
  private async save(
    session: SignedInSession,
    request: Request,
    { id, document, revision }: { id: string; document: string; revision: string | undefined },
  ): Promise<SaveOutcome> {
    this.getActor(session, request);
    const checked = await this.accountKit.checkPolicy({ document });
    if (!checked.isValid) {
      const { problem, issues } = checked;
      return { isSaved: false, refused: { revision, problem, status: 422 }, issues };
    }
    const { auditDetails: details } = checked;
    await this.record(session, request, { action: 'account-policy.set', target: id, details }, id);
    const { isDone } = await this.accountKit.setPolicy({ clientId: id, document, ...toRevision(revision) });
    return isDone ? { isSaved: true } : { isSaved: false, refused: { problem: CONFLICT, status: 409 } };
  }

  private async send(
    session: SignedInSession,
    response: Response,
    id: string,
    { isJson, resubmitted }: { isJson: boolean; resubmitted?: Resubmitted },
  ): Promise<void> {
    const stored = await this.accountKit.loadPolicy({ clientId: id });
    const { document, default: defaultPolicy } = stored;
    const fields = resubmitted?.fields ?? (document === null ? {} : toPolicyFields(document));
    const problems = resubmitted?.problems ?? {};
    const hasFieldProblems = Object.keys(problems).length > 0;
    const form = isJson || fields === undefined ? undefined : toPolicyFormView(fields, problems);
    const view: AccountPolicyView = {
      id,
      hasPolicy: document !== null,
      defaultPolicy,
      revision: resubmitted?.revision ?? stored.revision,
      fields: form,
      isOnlyJson: fields === undefined,
      form: {
        document: resubmitted?.document ?? document ?? '',
        problems: hasFieldProblems || !resubmitted ? problems : { document: resubmitted.problem },
        ...(form && { labels: { ...getPolicyLabels(form), document: 'Policy' } }),
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
