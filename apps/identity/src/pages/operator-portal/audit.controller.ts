import { Get, Param, Query, Req, Res } from '@nestjs/common';
import type { Request, Response } from 'express';
import { z } from 'zod';
import { AuditRecordsService, MAX_LISTED_RECORDS } from '../../applications/audit/audit-records.service.js';
import { PageController } from '../page-controller.decorator.js';
import { type SignedInSession, CurrentSignedInSession } from '../sessions/page-session.decorator.js';
import { PageRenderer } from '../views/page-renderer.js';
import { toAuditRecordView } from './audit-view.js';
import { OperatorSessionService } from './operator-session.service.js';

const PATH = 'portal/audit';

/** An invalid `before` shows the newest records. */
const auditPage = z.object({
  before: z
    .string()
    .regex(/^\d{1,15}$/)
    .transform(Number)
    .optional()
    .catch(undefined),
});
type AuditPage = z.output<typeof auditPage>;

/** The audit log, for operators. */
@PageController(PATH)
export class AuditController {
  constructor(
    private readonly operators: OperatorSessionService,
    private readonly auditRecords: AuditRecordsService,
    private readonly pages: PageRenderer,
  ) {}

  @Get()
  async showAll(
    @CurrentSignedInSession() session: SignedInSession,
    @Query({ schema: auditPage }) page: AuditPage,
    @Req() request: Request,
    @Res() response: Response,
  ): Promise<void> {
    await this.send(session, request, response, page);
  }

  @Get(':target')
  async showTarget(
    @CurrentSignedInSession() session: SignedInSession,
    @Param('target') target: string,
    @Query({ schema: auditPage }) page: AuditPage,
    @Req() request: Request,
    @Res() response: Response,
  ): Promise<void> {
    await this.send(session, request, response, page, target);
  }

  private async send(
    session: SignedInSession,
    { path }: Request,
    response: Response,
    { before }: AuditPage,
    target?: string,
  ): Promise<void> {
    const actor = this.operators.getActor(session.user, path);
    const records = await this.auditRecords.listRecords(actor, target, before);
    const oldest = records.length === MAX_LISTED_RECORDS ? records.at(-1) : undefined;
    const view = {
      records: records.map(toAuditRecordView),
      target,
      ...(oldest && { olderPath: `${path}?before=${String(oldest.id)}` }),
    };
    this.pages.send(response, 'audit', view, { title: 'Audit log', session, section: 'audit' });
  }
}
