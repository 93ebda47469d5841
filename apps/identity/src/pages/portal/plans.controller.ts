import { FormBody } from '@app/service';
import { Body, Get, Param, Post, Query, Req, Res } from '@nestjs/common';
import type { Request, Response } from 'express';
import { z } from 'zod';
import type { Actor } from '../../audit/actor.js';
import { PlanHolders } from '../../clients/plan-holders.js';
import { PlanLookup } from '../../operators/plan-lookup.js';
import { PageController } from '../page-controller.decorator.js';
import { type Member, SignedInVisit } from '../session/visit.decorator.js';
import { PageRenderer } from '../views/page-renderer.js';
import { type FormFields, formFields } from './application-form.js';
import { OperatorVisits } from './operator-visits.js';
import { readPlanForm } from './plan-form.js';
import { planView } from './plan-view.js';

const PATH = 'portal/plans';
const PAGE = { section: 'plans' } as const;

const planSearch = z.object({ id: z.string().trim().min(1).max(64).optional().catch(undefined) });
type PlanSearch = z.output<typeof planSearch>;

/** Plans, as operators set them. */
@PageController(PATH)
export class PlansController {
  constructor(
    private readonly operators: OperatorVisits,
    private readonly lookup: PlanLookup,
    private readonly holders: PlanHolders,
    private readonly pages: PageRenderer,
  ) {}

  @Get()
  search(
    @SignedInVisit() visit: Member,
    @Query({ schema: planSearch }) { id }: PlanSearch,
    @Req() request: Request,
    @Res() response: Response,
  ): void {
    this.actor(visit, request);
    if (id === undefined) this.pages.send(response, 'plan-search', {}, { ...PAGE, title: 'Plans', visit });
    else response.redirect(303, `/${PATH}/${encodeURIComponent(id)}`);
  }

  @Get(':id')
  async show(
    @SignedInVisit() visit: Member,
    @Param('id') id: string,
    @Req() request: Request,
    @Res() response: Response,
  ): Promise<void> {
    const found = await this.lookup.find(this.actor(visit, request), id);
    this.pages.send(response, 'plan', planView(found), { ...PAGE, title: 'Plan', visit });
  }

  @Post(':id')
  @FormBody()
  async set(
    @SignedInVisit() visit: Member,
    @Param('id') id: string,
    @Body({ schema: formFields }) fields: FormFields,
    @Req() request: Request,
    @Res() response: Response,
  ): Promise<void> {
    const actor = this.actor(visit, request);
    const read = readPlanForm(fields);
    if (read.ok) {
      await this.holders.setPlan(actor, id, read.terms);
      response.redirect(303, `/${PATH}/${id}`);
      return;
    }
    const view = planView(await this.lookup.find(actor, id), { fields, problems: read.problems });
    this.pages.send(response, 'plan', view, { ...PAGE, title: 'Plan', visit, status: 422 });
  }

  private actor({ user }: Member, { path }: Request): Actor {
    return this.operators.actorFor(user, path);
  }
}
