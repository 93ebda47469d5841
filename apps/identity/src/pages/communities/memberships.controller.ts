import type { EndedMembershipResponse } from '@app/dto';
import { FormBody } from '@app/service';
import { AppError } from '@app/common';
import { Get, Param, Post, Res } from '@nestjs/common';
import type { Response } from 'express';
import { PortalCommunitiesClient } from '../../clients/portal-communities-client.js';
import { PageController } from '../page-controller.decorator.js';
import { PageNoticesService } from '../sessions/page-notices.service.js';
import { type SignedInSession, CurrentSignedInSession } from '../sessions/page-session.decorator.js';
import { formatMinute } from '../views/format-values.js';
import { PageRenderer } from '../views/page-renderer.js';
import { type CommunityParams, communityParams } from './communities.dto.js';
import { CommunitiesService } from './communities.service.js';
import { CommunityApi, type PortalCommunity } from './community-api.js';
import { HOME_PATH, MEMBERSHIPS_PATH } from '../sessions/login-path.js';
import { toInvitationPath, toMembershipPath } from './community-tabs.js';
import { MemberCheckService } from './member-check.service.js';
import { endOnce } from './repeatable.js';

const NOT_FOUND = 404;
const GONE = 410;
const UNAVAILABLE = 503;

const RETURN_AFTER_REMOVAL =
  'To return you need a new invitation link from those who run it: links that were sent before do not let you in again.';
const RETURN_AFTER_LEAVING = 'To return, open an invitation link of the community again.';

type Ended = NonNullable<EndedMembershipResponse['ended']>;

const isNotFound = (error: unknown): boolean => error instanceof AppError && error.statusCode === NOT_FOUND;

/** The communities that the user has joined. */
@PageController(MEMBERSHIPS_PATH.slice(1))
export class MembershipListController {
  constructor(
    private readonly communities: CommunitiesService,
    private readonly pages: PageRenderer,
  ) {}

  @Get()
  async list(@CurrentSignedInSession() session: SignedInSession, @Res() response: Response): Promise<void> {
    const list = await this.communities.listJoined(session.user.userId).catch((error: unknown) => {
      if (error instanceof AppError && error.statusCode === UNAVAILABLE) return undefined;
      throw error;
    });
    const status = list ? 200 : UNAVAILABLE;
    const options = { title: 'My memberships', section: 'memberships', session, status } as const;
    this.pages.send(response, 'memberships', { list }, options);
  }
}

/** A community as its members see it: the roles that they have, and why. */
@PageController('portal/memberships/:communityId')
export class MembershipsController {
  constructor(
    private readonly api: CommunityApi,
    private readonly client: PortalCommunitiesClient,
    private readonly checks: MemberCheckService,
    private readonly pages: PageRenderer,
    private readonly notices: PageNoticesService,
  ) {}

  @Get()
  async show(
    @CurrentSignedInSession() session: SignedInSession,
    @Param({ schema: communityParams }) { communityId }: CommunityParams,
    @Res() response: Response,
  ): Promise<void> {
    try {
      const community = await this.find(session, communityId);
      if (!community) await this.checks.requireMember(session, communityId);
      const stored = community && (await this.checks.read(session, community, session.user.userId));
      this.send(response, session, communityId, { name: community?.name, ...stored });
    } catch (error) {
      if (!isNotFound(error)) throw error;
      const { userId } = session.user;
      const { ended } = await this.client.findEndedMembership({ userId, communityId });
      if (!ended) throw error;
      this.sendEnded(response, session, communityId, ended);
    }
  }

  @Post('check')
  @FormBody()
  async check(
    @CurrentSignedInSession() session: SignedInSession,
    @Param({ schema: communityParams }) { communityId }: CommunityParams,
    @Res() response: Response,
  ): Promise<void> {
    try {
      const community = await this.find(session, communityId);
      if (!community) await this.checks.requireMember(session, communityId);
      const checked = community && (await this.checks.check(session, community, session.user.userId));
      this.send(response, session, communityId, { name: community?.name, ...checked });
    } catch (error) {
      if (!isNotFound(error)) throw error;
      // The page says how the membership ended, to those who had one.
      response.redirect(303, toMembershipPath(communityId));
    }
  }

  /** Forms are posted to these paths, so that reloading a response may request them with GET. */
  @Get(['check', 'leave'])
  showAgain(
    @Param({ schema: communityParams }) { communityId }: CommunityParams,
    @Res() response: Response,
  ): void {
    response.redirect(303, toMembershipPath(communityId));
  }

  /** Members leave communities that they cannot see, too. */
  @Post('leave')
  @FormBody()
  async leave(
    @CurrentSignedInSession() session: SignedInSession,
    @Param({ schema: communityParams }) { communityId }: CommunityParams,
    @Res() response: Response,
  ): Promise<void> {
    const name = (await this.find(session, communityId))?.name;
    await endOnce(this.api.leave(session.user, communityId), 'community_not_found');
    await this.notices.lead(response, session, HOME_PATH, {
      text: `You have left ${name === undefined ? 'the community' : '{name}'}, and your roles in it have ended.`,
      name,
    });
  }

  private sendEnded(
    response: Response,
    session: SignedInSession,
    communityId: string,
    { how, name, time, isPublic }: Ended,
  ): void {
    const when = time === undefined ? '' : ` on ${formatMinute(new Date(time))}`;
    const sentence = how === 'removed' ? `You were removed from {name}${when}.` : `You left {name}${when}.`;
    const again = how === 'removed' ? RETURN_AFTER_REMOVAL : RETURN_AFTER_LEAVING;
    const view = {
      ...{ sentence: `${sentence} Your roles in it have ended.`, name },
      advice: isPublic ? 'Everyone can join it, and so can you.' : again,
      joinPath: isPublic ? toInvitationPath(communityId) : undefined,
    };
    const options = {
      title: 'You are no longer a member',
      section: 'memberships',
      session,
      status: GONE,
    } as const;
    this.pages.send(response, 'membership-ended', view, options);
  }

  private send(
    response: Response,
    session: SignedInSession,
    communityId: string,
    {
      name = 'A community that its members cannot see',
      roles,
      checked,
      problem,
    }: { name?: string | undefined } & Partial<Awaited<ReturnType<MemberCheckService['check']>>>,
  ): void {
    const path = toMembershipPath(communityId);
    const view = {
      ...{ path, communityId },
      ...(roles && { roles }),
      ...(checked !== undefined && { checked }),
      ...(problem !== undefined && { problem }),
    };
    const kind = { section: 'memberships', isStep: true, script: 'check-answer' } as const;
    const options = { ...kind, title: name, session };
    this.pages.send(response, 'membership', view, options);
  }

  /** @returns undefined where the user may not see the community; whether it exists is not told */
  private async find({ user }: SignedInSession, communityId: string): Promise<PortalCommunity | undefined> {
    try {
      return await this.api.get(user, communityId);
    } catch (error) {
      if (isNotFound(error)) return undefined;
      throw error;
    }
  }
}
