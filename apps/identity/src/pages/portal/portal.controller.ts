import { Get, Res } from '@nestjs/common';
import type { Response } from 'express';
import { ClientApplicationsService } from '../../applications/client-applications.service.js';
import { PlanUsageService } from '../../applications/plans/plan-usage.service.js';
import { PageController } from '../page-controller.decorator.js';
import { type SignedInSession, CurrentSignedInSession } from '../sessions/page-session.decorator.js';
import { PageRenderer } from '../views/page-renderer.js';
import { AccountNoticesService } from './account-notices.service.js';
import { toListedApplication } from './application-view.js';
import { toDecisionViews } from './approval-view.js';
import { toUsageView } from './usage-view.js';

@PageController('portal')
export class PortalController {
  constructor(
    private readonly applications: ClientApplicationsService,
    private readonly usage: PlanUsageService,
    private readonly notices: AccountNoticesService,
    private readonly pages: PageRenderer,
  ) {}

  @Get()
  async show(@CurrentSignedInSession() session: SignedInSession, @Res() response: Response): Promise<void> {
    const { userId } = session.user;
    const [applications, usage, notices] = await Promise.all([
      this.applications.list(userId),
      this.usage.loadUsage(userId),
      this.notices.load(userId),
    ]);
    const view = {
      notices,
      decisions: toDecisionViews(applications),
      applications: applications.map(toListedApplication),
      usage: toUsageView(usage, applications),
    };
    this.pages.send(response, 'portal', view, {
      title: 'Your applications',
      session,
      section: 'applications',
    });
  }
}
