import { Get, Res } from '@nestjs/common';
import type { Response } from 'express';
import { OwnApplications } from '../../client-applications/own-applications.js';
import { OwnUsage } from '../../client-applications/own-usage.js';
import { PageController } from '../page-controller.decorator.js';
import { type Member, SignedInVisit } from '../session/visit.decorator.js';
import { PageRenderer } from '../views/page-renderer.js';
import { listed } from './application-view.js';
import { usageView } from './usage-view.js';

@PageController('portal')
export class PortalController {
  constructor(
    private readonly applications: OwnApplications,
    private readonly usage: OwnUsage,
    private readonly pages: PageRenderer,
  ) {}

  @Get()
  async show(@SignedInVisit() visit: Member, @Res() response: Response): Promise<void> {
    const { userId } = visit.user;
    const [applications, usage] = await Promise.all([this.applications.list(userId), this.usage.of(userId)]);
    const view = { applications: applications.map(listed), usage: usageView(usage, applications) };
    this.pages.send(response, 'portal', view, {
      title: 'Your applications',
      visit,
      section: 'applications',
    });
  }
}
