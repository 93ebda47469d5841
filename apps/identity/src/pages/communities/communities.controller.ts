import { AppError } from '@app/common';
import { FormBody, getHeader, logServerError, ServiceContext } from '@app/service';
import { Body, Get, Header, Param, Post, Query, Req, Res } from '@nestjs/common';
import type { Request, Response } from 'express';
import { PortalCommunitiesClient } from '../../clients/portal-communities-client.js';
import { AccountNoticesService } from '../portal/account-notices.service.js';
import { PageController, ScriptController } from '../page-controller.decorator.js';
import {
  type SignedInSession,
  CurrentSignedInSession,
  CurrentSession,
  type PageSession,
} from '../sessions/page-session.decorator.js';
import type { CommunityFormView, CommunityListView } from '../views/community-views.js';
import { PageRenderer } from '../views/page-renderer.js';
import { CommunityApi } from './community-api.js';
import { toOverview } from './community-overview.js';
import { administratorRequired, CommunityPageRenderer, isRunBy } from './community-page-renderer.js';
import { toCommunityPath, toCommunityTabs, toMembershipPath, toOfferPath } from './community-tabs.js';
import {
  type CommunityParams,
  communityParams,
  type NewCommunityForm,
  newCommunityForm,
  type PeriodQuery,
  periodQuery,
  type ReportParams,
  reportParams,
  type ReportQuery,
  reportQuery,
} from './communities.dto.js';
import { CommunitiesService, signInRequired } from './communities.service.js';
import { REFUSED_FORM_STATUS, toFormProblems } from './form-problems.js';
import { isOutcomeUnknown, OnceFormService } from './once-form.service.js';
import { toPeriodView } from './period-view.js';
import { RuleApi } from '../rules/rule-api.js';
import { VISIBILITY_CHOICES } from './visibilities.js';

const PATH = 'portal/communities';
const UNAVAILABLE = 503;
const LIMIT_CODE = 'portal_community_limit_exceeded';
/** Communities of which is asked whether an application serves them, before the form of one more. */
const MAX_ASKED_COMMUNITIES = 10;

/** The communities that the user runs or is a member of, and the overview and the charts of each. */
@PageController(PATH)
export class CommunitiesController {
  constructor(
    private readonly communities: CommunitiesService,
    private readonly api: CommunityApi,
    private readonly client: PortalCommunitiesClient,
    private readonly forms: OnceFormService,
    private readonly notices: AccountNoticesService,
    private readonly context: ServiceContext,
    private readonly page: CommunityPageRenderer,
    private readonly pages: PageRenderer,
    private readonly rules: RuleApi,
  ) {}

  @Get()
  async list(
    @CurrentSignedInSession() session: SignedInSession,
    @Req() request: Request,
    @Res() response: Response,
  ): Promise<void> {
    const { userId } = session.user;
    const [notices, list] = await Promise.all([this.notices.load(userId), this.loadList(userId)]);
    const options = { title: 'Communities', section: 'communities', session } as const;
    if (!(list instanceof AppError)) {
      this.pages.send(response, 'communities', { notices, list }, options);
      return;
    }
    const { statusCode, details } = list;
    logServerError(this.context.logger, list, request.requestId);
    if (typeof details['retryAfter'] === 'number') response.setHeader('Retry-After', details['retryAfter']);
    this.pages.send(
      response,
      'communities',
      { notices, list: undefined },
      { ...options, status: statusCode },
    );
  }

  /** @returns the error while communities cannot be looked up: the first page after a login still leads to the others then */
  private async loadList(userId: string): Promise<CommunityListView | AppError> {
    try {
      const [list, { received }] = await Promise.all([
        this.communities.list(userId),
        this.client.listOwnershipOffers({ userId }),
      ]);
      const offers = received.map(({ communityId, name, fromName }) => ({
        href: toOfferPath(communityId),
        name,
        from: fromName ?? 'Its owner',
      }));
      return { ...list, offers };
    } catch (error) {
      if (error instanceof AppError && error.statusCode === UNAVAILABLE) return error;
      throw error;
    }
  }

  @Get('new')
  async showForm(
    @CurrentSignedInSession() session: SignedInSession,
    @Res() response: Response,
  ): Promise<void> {
    await this.sendForm(response, session, { name: '', visibility: 'members', problems: {} });
  }

  @Post()
  @FormBody()
  async create(
    @CurrentSignedInSession() session: SignedInSession,
    @Body({ schema: newCommunityForm }) { form: token, name, visibility }: NewCommunityForm,
    @Req() request: Request,
    @Res() response: Response,
  ): Promise<void> {
    try {
      const form = { path: request.path, token, fields: { name, visibility } };
      const path = await this.forms.submit(session, form, async () => {
        const address = getHeader(request, 'x-forwarded-for') ?? '';
        const { id } = await this.client.countNewCommunity({ userId: session.user.userId, address }, () =>
          this.api.create(session.user, { name, visibility }),
        );
        return toCommunityPath(id);
      });
      response.redirect(303, path);
    } catch (error) {
      // The page says so above the form: no name would help.
      const isLimited = error instanceof AppError && error.details['code'] === LIMIT_CODE;
      const problems = isLimited ? {} : toFormProblems(error, 'name', ['name', 'visibility']);
      const form = { name, visibility, problems, mayBeDone: isOutcomeUnknown(error) };
      await this.sendForm(
        response,
        session,
        form,
        REFUSED_FORM_STATUS,
        isLimited ? error.message : undefined,
      );
    }
  }

  /** Before the overview there were charts here: links with their query lead to the charts. */
  @Get(':communityId')
  async show(
    @CurrentSignedInSession() session: SignedInSession,
    @Param({ schema: communityParams }) { communityId }: CommunityParams,
    @Query({ schema: periodQuery }) query: PeriodQuery,
    @Req() request: Request,
    @Res() response: Response,
  ): Promise<void> {
    if (Object.values(query).some((value) => value !== undefined)) {
      const search = request.originalUrl.slice(request.originalUrl.indexOf('?'));
      response.redirect(303, `${toCommunityPath(communityId)}/charts${search}`);
      return;
    }
    const community = await this.api.get(session.user, communityId);
    if (!isRunBy(community)) {
      // Members read the rules, and strangers do not.
      if (community.tpcs === undefined) throw administratorRequired();
      response.redirect(303, toMembershipPath(communityId));
      return;
    }
    const overview = toOverview(community, session.user.userId);
    this.page.send(response, session, community.name, 'community-overview', overview, { title: 'Overview' });
  }

  @Get(':communityId/charts')
  async showCharts(
    @CurrentSignedInSession() session: SignedInSession,
    @Param({ schema: communityParams }) { communityId }: CommunityParams,
    @Query({ schema: periodQuery }) query: PeriodQuery,
    @Res() response: Response,
  ): Promise<void> {
    const name = await this.communities.loadName(session.user.userId, communityId);
    const period = toPeriodView(`${toCommunityPath(communityId)}/charts`, query);
    const script = period.problem === undefined ? 'community' : undefined;
    const tabs = toCommunityTabs({ id: communityId, status: 'active' }, 'charts');
    const page = { title: 'Charts', isWide: true, script } as const;
    this.page.send(response, session, name, 'community-charts', { tabs, period }, page);
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

  /** How many communities without an approved application users may own, and a sentence where this one owns as many. */
  private async findLimit({ user }: SignedInSession): Promise<{ maxCommunities?: number; reached?: string }> {
    try {
      const [{ withoutApplication }, owned] = await Promise.all([
        this.client.loadCatalogue(),
        this.communities.listOwnedIds(user.userId),
      ]);
      const limit = withoutApplication?.maxCommunities;
      if (limit === undefined) return {};
      if (owned.length < limit) return { maxCommunities: limit };
      const served = await Promise.all(
        owned.slice(0, MAX_ASKED_COMMUNITIES).map((id) => this.rules.hasApprovedApplication(user, id)),
      );
      return served.filter((isServed) => !isServed).length >= limit
        ? { reached: `You own ${limit} communities without an approved application, and may not own more.` }
        : { maxCommunities: limit };
    } catch (error) {
      // The form says the same once it is sent.
      if (error instanceof AppError) return {};
      throw error;
    }
  }

  private async sendForm(
    response: Response,
    session: SignedInSession,
    form: CommunityFormView,
    status = 200,
    refusal?: string,
  ): Promise<void> {
    const { reached, maxCommunities } = await this.findLimit(session);
    const view = {
      ...{ form, choices: VISIBILITY_CHOICES, maxCommunities },
      limit: reached ?? refusal,
      // What was filled in stays.
      showsForm: reached === undefined || status !== 200,
    };
    const options = { title: 'Create community', section: 'communities', session, status } as const;
    this.pages.send(response, 'new-community', view, options);
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
