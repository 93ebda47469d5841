import { FormBody } from '@app/service';
import { Body, Get, Param, Post, Req, Res } from '@nestjs/common';
import type { Request, Response } from 'express';
import type { Actor } from '../../audit/actor.js';
import { Approvals } from '../../clients/approvals.js';
import { ApprovalQueue } from '../../operators/approval-queue.js';
import { PageController } from '../page-controller.decorator.js';
import { type Member, SignedInVisit } from '../session/visit.decorator.js';
import { PageRenderer } from '../views/page-renderer.js';
import {
  type ApprovalForm,
  approvalForm,
  approvedOf,
  rejectionForm,
  type RejectionForm,
} from './approval-form.js';
import { awaitingView } from './approval-view.js';
import { OperatorVisits } from './operator-visits.js';

const PATH = 'portal/approvals';
const PAGE = { title: 'Approvals', section: 'approvals' } as const;

/** Applications that wait for an operator. */
@PageController(PATH)
export class ApprovalsController {
  constructor(
    private readonly operators: OperatorVisits,
    private readonly queue: ApprovalQueue,
    private readonly approvals: Approvals,
    private readonly pages: PageRenderer,
  ) {}

  @Get()
  async list(
    @SignedInVisit() visit: Member,
    @Req() request: Request,
    @Res() response: Response,
  ): Promise<void> {
    const waiting = await this.queue.list(this.actor(visit, request));
    const view = { waiting: waiting.map(awaitingView) };
    this.pages.send(response, 'approvals', view, { ...PAGE, visit });
  }

  @Post(':id/approve')
  @FormBody()
  async approve(
    @SignedInVisit() visit: Member,
    @Param('id') id: string,
    @Body({ schema: approvalForm }) form: ApprovalForm,
    @Req() request: Request,
    @Res() response: Response,
  ): Promise<void> {
    const approval = { scopes: approvedOf(form), revision: form.revision };
    await this.approvals.approve(this.actor(visit, request), id, approval);
    response.redirect(303, `/${PATH}`);
  }

  @Post(':id/reject')
  @FormBody()
  async reject(
    @SignedInVisit() visit: Member,
    @Param('id') id: string,
    @Body({ schema: rejectionForm }) form: RejectionForm,
    @Req() request: Request,
    @Res() response: Response,
  ): Promise<void> {
    await this.approvals.reject(this.actor(visit, request), id, form);
    response.redirect(303, `/${PATH}`);
  }

  private actor({ user }: Member, { path }: Request): Actor {
    return this.operators.actorFor(user, path);
  }
}
