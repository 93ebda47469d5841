import { FormBody } from '@app/service';
import { AppError } from '@app/common';
import { Get, Param, Post, Res } from '@nestjs/common';
import type { Response } from 'express';
import { PageController } from '../page-controller.decorator.js';
import { PageNoticesService } from '../sessions/page-notices.service.js';
import { type SignedInSession, CurrentSignedInSession } from '../sessions/page-session.decorator.js';
import { PageRenderer } from '../views/page-renderer.js';
import { type CommunityParams, communityParams } from './communities.dto.js';
import { CommunityApi, type PortalCommunity } from './community-api.js';
import { HOME_PATH } from '../sessions/login-path.js';
import { toMembershipPath } from './community-tabs.js';
import { MemberCheckService } from './member-check.service.js';
import { endOnce } from './repeatable.js';

const NOT_FOUND = 404;

/** A community as its members see it: the roles that they have, and why. */
@PageController('portal/memberships/:communityId')
export class MembershipsController {
  constructor(
    private readonly api: CommunityApi,
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
    const community = await this.find(session, communityId);
    if (!community) await this.checks.requireMember(session, communityId);
    const stored = community && (await this.checks.read(session, community, session.user.userId));
    this.send(response, session, communityId, { name: community?.name, ...stored });
  }

  @Post('check')
  @FormBody()
  async check(
    @CurrentSignedInSession() session: SignedInSession,
    @Param({ schema: communityParams }) { communityId }: CommunityParams,
    @Res() response: Response,
  ): Promise<void> {
    const community = await this.find(session, communityId);
    const checked = community && (await this.checks.check(session, community, session.user.userId));
    this.send(response, session, communityId, { name: community?.name, ...checked });
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
      path,
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
      if (error instanceof AppError && error.statusCode === NOT_FOUND) return undefined;
      throw error;
    }
  }
}
