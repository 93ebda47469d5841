import { Get, Param, Query, Req, Res } from '@nestjs/common';
import type { Request, Response } from 'express';
import { z } from 'zod';
import { AuditTrail, MOST_LISTED } from '../../audit/audit-trail.js';
import { PageController } from '../page-controller.decorator.js';
import { type Member, SignedInVisit } from '../session/visit.decorator.js';
import { PageRenderer } from '../views/page-renderer.js';
import { auditRecordView } from './audit-view.js';
import { OperatorVisits } from './operator-visits.js';

const PATH = 'portal/audit';

/** Of a link to older records; anything else shows the newest. */
const auditPage = z.object({
  before: z
    .string()
    .regex(/^\d{1,15}$/)
    .transform(Number)
    .optional()
    .catch(undefined),
});
type AuditPage = z.output<typeof auditPage>;

/** Who did what, for operators. */
@PageController(PATH)
export class AuditController {
  constructor(
    private readonly operators: OperatorVisits,
    private readonly trail: AuditTrail,
    private readonly pages: PageRenderer,
  ) {}

  @Get()
  async all(
    @SignedInVisit() visit: Member,
    @Query({ schema: auditPage }) page: AuditPage,
    @Req() request: Request,
    @Res() response: Response,
  ): Promise<void> {
    await this.send(visit, request, response, page);
  }

  @Get(':target')
  async of(
    @SignedInVisit() visit: Member,
    @Param('target') target: string,
    @Query({ schema: auditPage }) page: AuditPage,
    @Req() request: Request,
    @Res() response: Response,
  ): Promise<void> {
    await this.send(visit, request, response, page, target);
  }

  private async send(
    visit: Member,
    { path }: Request,
    response: Response,
    { before }: AuditPage,
    target?: string,
  ): Promise<void> {
    const actor = this.operators.actorFor(visit.user, path);
    const records = await this.trail.list(actor, target, before);
    const oldest = records.length === MOST_LISTED ? records.at(-1) : undefined;
    const view = {
      records: records.map(auditRecordView),
      target,
      ...(oldest && { olderPath: `${path}?before=${String(oldest.id)}` }),
    };
    this.pages.send(response, 'audit', view, { title: 'Record', visit, section: 'audit' });
  }
}
