import { FormBody } from '@app/service';
import { Body, Get, Param, Post, Query, Req, Res } from '@nestjs/common';
import type { Request, Response } from 'express';
import { z } from 'zod';
import type { Actor } from '../../applications/audit/audit-action.js';
import { PlansService } from '../../applications/plans/plans.service.js';
import { OperatorPlansService, type TenantPlan } from '../../operators/operator-plans.service.js';
import { PageController } from '../page-controller.decorator.js';
import { toListedApplication } from '../portal/application-view.js';
import { CurrentSignedInSession, type SignedInSession } from '../sessions/page-session.decorator.js';
import { PageRenderer } from '../views/page-renderer.js';
import { type FormFields, formFields } from '../portal/application-form.js';
import type { PlanView } from '../views/operator-views.js';
import { OperatorSessionService } from './operator-session.service.js';
import { parsePlanForm } from './plan-form.js';

/** @param resubmitted the form with validation errors to show again */
const toPlanView = (
  { tenant, applications }: TenantPlan,
  resubmitted?: { fields: FormFields; problems: Record<string, string> },
): PlanView => ({
  id: tenant.id,
  name: tenant.name,
  userId: tenant.userId,
  applications: applications.map(toListedApplication),
  form: resubmitted
    ? {
        plan: resubmitted.fields['plan'] ?? tenant.plan,
        perSecond: resubmitted.fields['perSecond'] ?? '',
        perMonth: resubmitted.fields['perMonth'] ?? '',
        maxClientApplications: resubmitted.fields['maxClientApplications'] ?? '',
        maxApiKeys: resubmitted.fields['maxApiKeys'] ?? '',
        problems: resubmitted.problems,
      }
    : {
        plan: tenant.plan,
        perSecond: String(tenant.perSecond ?? ''),
        perMonth: String(tenant.perMonth ?? ''),
        maxClientApplications: String(tenant.maxClientApplications ?? ''),
        maxApiKeys: String(tenant.maxApiKeys ?? ''),
        problems: {},
      },
});

const PATH = 'portal/plans';
const PAGE = { section: 'plans' } as const;

const planSearch = z.object({ id: z.string().trim().min(1).max(64).optional().catch(undefined) });
type PlanSearch = z.output<typeof planSearch>;

/** Plans of tenants, for operators. */
@PageController(PATH)
export class PlansController {
  constructor(
    private readonly operators: OperatorSessionService,
    private readonly operatorPlans: OperatorPlansService,
    private readonly plans: PlansService,
    private readonly pages: PageRenderer,
  ) {}

  @Get()
  search(
    @CurrentSignedInSession() session: SignedInSession,
    @Query({ schema: planSearch }) { id }: PlanSearch,
    @Req() request: Request,
    @Res() response: Response,
  ): void {
    this.getActor(session, request);
    if (id === undefined) this.pages.send(response, 'plan-search', {}, { ...PAGE, title: 'Plans', session });
    else response.redirect(303, `/${PATH}/${encodeURIComponent(id)}`);
  }

  @Get(':id')
  async show(
    @CurrentSignedInSession() session: SignedInSession,
    @Param('id') id: string,
    @Req() request: Request,
    @Res() response: Response,
  ): Promise<void> {
    const plan = await this.operatorPlans.findPlan(this.getActor(session, request), id);
    this.pages.send(response, 'plan', toPlanView(plan), { ...PAGE, title: 'Plan', session });
  }

  @Post(':id')
  @FormBody()
  async set(
    @CurrentSignedInSession() session: SignedInSession,
    @Param('id') id: string,
    @Body({ schema: formFields }) fields: FormFields,
    @Req() request: Request,
    @Res() response: Response,
  ): Promise<void> {
    const actor = this.getActor(session, request);
    const parsed = parsePlanForm(fields);
    if (parsed.ok) {
      await this.plans.setPlan(actor, id, parsed.terms);
      response.redirect(303, `/${PATH}/${id}`);
      return;
    }
    const view = toPlanView(await this.operatorPlans.findPlan(actor, id), {
      fields,
      problems: parsed.problems,
    });
    this.pages.send(response, 'plan', view, { ...PAGE, title: 'Plan', session, status: 422 });
  }

  private getActor({ user }: SignedInSession, { path }: Request): Actor {
    return this.operators.getActor(user, path);
  }
}
