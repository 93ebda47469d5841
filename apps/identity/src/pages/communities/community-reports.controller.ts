import { Get, Header, Param, Query, Res } from '@nestjs/common';
import type { Response } from 'express';
import { ScriptController } from '../page-controller.decorator.js';
import { CurrentSession, type PageSession } from '../sessions/page-session.decorator.js';
import { type ReportParams, reportParams, type ReportQuery, reportQuery } from './communities.dto.js';
import { CommunitiesService, signInRequired } from './communities.service.js';

/** The rows of the charts, for the script of a community's page. */
@ScriptController('portal/communities/:communityId/analytics')
export class CommunityReportsController {
  constructor(private readonly communities: CommunitiesService) {}

  /** @returns the body of the public operation */
  @Get(':report.json')
  @Header('Content-Type', 'application/json; charset=utf-8')
  async load(
    @CurrentSession() { user }: PageSession,
    @Param({ schema: reportParams }) params: ReportParams,
    @Query({ schema: reportQuery }) period: ReportQuery,
    @Res({ passthrough: true }) response: Response,
  ): Promise<string> {
    if (!user) throw signInRequired();
    const request = { ...params, userId: user.userId, period, format: 'json' } as const;
    const { text, dataUntil } = await this.communities.loadReport(request);
    if (dataUntil !== undefined) response.set('X-Data-Until', dataUntil);
    return text;
  }
}
