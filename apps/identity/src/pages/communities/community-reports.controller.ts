import { Get, Header, Param, Query } from '@nestjs/common';
import { ScriptController } from '../page-controller.decorator.js';
import type { PageSession } from '../sessions/page-session.js';
import { CurrentSession } from '../sessions/page-session.decorator.js';
import { type ReportParams, reportParams, type ReportQuery, reportQuery } from './communities.dto.js';
import { signInRequired } from './communities.errors.js';
import { CommunitiesService } from './communities.service.js';

/** The rows of the charts, for the script of a community's page. */
@ScriptController('portal/communities/:communityId/analytics')
export class CommunityReportsController {
  constructor(private readonly communities: CommunitiesService) {}

  /** @returns the body of the public operation */
  @Get(':report.json')
  @Header('Content-Type', 'application/json; charset=utf-8')
  load(
    @CurrentSession() { user }: PageSession,
    @Param({ schema: reportParams }) params: ReportParams,
    @Query({ schema: reportQuery }) period: ReportQuery,
  ): Promise<string> {
    if (!user) throw signInRequired();
    return this.communities.loadReport({ ...params, userId: user.userId, period, format: 'json' });
  }
}
