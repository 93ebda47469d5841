import { Get, Header, Param, Query, Res } from '@nestjs/common';
import type { Response } from 'express';
import { PageController, ScriptController } from '../page-controller.decorator.js';
import {
  type SignedInSession,
  CurrentSignedInSession,
  CurrentSession,
  type PageSession,
} from '../sessions/page-session.decorator.js';
import { PageRenderer } from '../views/page-renderer.js';
import {
  type CommunityParams,
  communityParams,
  type PeriodQuery,
  periodQuery,
  type ReportParams,
  reportParams,
  type ReportQuery,
  reportQuery,
} from './communities.dto.js';
import { CommunitiesService, signInRequired } from './communities.service.js';
import { toPeriodView } from './period-view.js';

const PATH = 'portal/communities';

/** The communities that the user administers, and their charts. */
@PageController(PATH)
export class CommunitiesController {
  constructor(
    private readonly communities: CommunitiesService,
    private readonly pages: PageRenderer,
  ) {}

  @Get()
  async list(@CurrentSignedInSession() session: SignedInSession, @Res() response: Response): Promise<void> {
    const list = await this.communities.list(session.user.userId);
    const options = { title: 'Your communities', section: 'communities', session } as const;
    this.pages.send(response, 'communities', list, options);
  }

  @Get(':communityId')
  async show(
    @CurrentSignedInSession() session: SignedInSession,
    @Param({ schema: communityParams }) { communityId }: CommunityParams,
    @Query({ schema: periodQuery }) query: PeriodQuery,
    @Res() response: Response,
  ): Promise<void> {
    const name = await this.communities.loadName(session.user.userId, communityId);
    const period = toPeriodView(`/${PATH}/${encodeURIComponent(communityId)}`, query);
    const options = { title: name, section: 'communities', session, isWide: true } as const;
    const script = period.problem === undefined ? { script: 'community' } : {};
    this.pages.send(response, 'community', { id: communityId, period }, { ...options, ...script });
  }

  @Get(':communityId/analytics/:report.csv')
  @Header('Content-Type', 'text/csv; charset=utf-8')
  async downloadReport(
    @CurrentSignedInSession() session: SignedInSession,
    @Param({ schema: reportParams }) params: ReportParams,
    @Query({ schema: reportQuery }) period: ReportQuery,
    @Res() response: Response,
  ): Promise<void> {
    const { userId } = session.user;
    const { text } = await this.communities.loadReport({ ...params, userId, period, format: 'csv' });
    response.attachment(`${params.report}.csv`).end(text);
  }
}

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
