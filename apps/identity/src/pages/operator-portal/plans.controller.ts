import { FormBody } from '@app/service';
import { Body, Get, Param, Post, Query, Req, Res } from '@nestjs/common';
import type { Request, Response } from 'express';
import { z } from 'zod';
import type { Actor } from '../../applications/audit/actor.js';
import { PlansService } from '../../applications/plans/plans.service.js';
import { OperatorPlansService } from '../../applications/operators/operator-plans.service.js';
import { PageController } from '../page-controller.decorator.js';
import { type SignedInSession, CurrentSignedInSession } from '../sessions/page-session.decorator.js';
import { PageRenderer } from '../views/page-renderer.js';
import { type FormFields, formFields } from '../portal/application-form.js';
import { OperatorSessionService } from './operator-session.service.js';
import { parsePlanForm } from './plan-form.js';
import { toPlanView } from './plan-view.js';

const PATH = 'portal/plans';
const PAGE = { section: 'plans' } as const;

const planSearch = z.object({ id: z.string().trim().min(1).max(64).optional().catch(undefined) });
type PlanSearch = z.output<typeof planSearch>;

/** Plans, as operators set them. */
@PageController(PATH)
export class PlansController {
  constructor(
    private readonly operators: OperatorSessionService,
    private readonly lookup: OperatorPlansService,
    private readonly holders: PlansService,
    private readonly pages: PageRenderer,
  ) {}

  @Get()
  search(
    @CurrentSignedInSession() visit: SignedInSession,
    @Query({ schema: planSearch }) { id }: PlanSearch,
    @Req() request: Request,
    @Res() response: Response,
  ): void {
    this.actor(visit, request);
    if (id === undefined)
      this.pages.send(response, 'plan-search', {}, { ...PAGE, title: 'Plans', session: visit });
    else response.redirect(303, `/${PATH}/${encodeURIComponent(id)}`);
  }

  @Get(':id')
  async show(
    @CurrentSignedInSession() visit: SignedInSession,
    @Param('id') id: string,
    @Req() request: Request,
    @Res() response: Response,
  ): Promise<void> {
    const found = await this.lookup.findPlan(this.actor(visit, request), id);
    this.pages.send(response, 'plan', toPlanView(found), { ...PAGE, title: 'Plan', session: visit });
  }

  @Post(':id')
  @FormBody()
  async set(
    @CurrentSignedInSession() visit: SignedInSession,
    @Param('id') id: string,
    @Body({ schema: formFields }) fields: FormFields,
    @Req() request: Request,
    @Res() response: Response,
  ): Promise<void> {
    const actor = this.actor(visit, request);
    const read = parsePlanForm(fields);
    if (read.ok) {
      await this.holders.setPlan(actor, id, read.terms);
      response.redirect(303, `/${PATH}/${id}`);
      return;
    }
    const view = toPlanView(await this.lookup.findPlan(actor, id), { fields, problems: read.problems });
    this.pages.send(response, 'plan', view, { ...PAGE, title: 'Plan', session: visit, status: 422 });
  }

  private actor({ user }: SignedInSession, { path }: Request): Actor {
    return this.operators.getActor(user, path);
  }
}
