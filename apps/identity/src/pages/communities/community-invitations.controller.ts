import { FormBody } from '@app/service';
import { Get, Param, Post, Res } from '@nestjs/common';
import type { Response } from 'express';
import { PublicUrlsConfig } from '../../common/identity.config.js';
import { PageController } from '../page-controller.decorator.js';
import { PageNoticesService } from '../sessions/page-notices.service.js';
import { type SignedInSession, CurrentSignedInSession } from '../sessions/page-session.decorator.js';
import type { CommunityViews } from '../views/community-views.js';
import { type CommunityParams, communityParams } from './communities.dto.js';
import { CommunityApi } from './community-api.js';
import { CommunityPageRenderer, type ManagedCommunity } from './community-page-renderer.js';
import { toCommunityTabs, toInvitationPath, toInvitationsPath, toMembersPath } from './community-tabs.js';

/** The link with which people join a community, for those who run it. */
@PageController('portal/communities/:communityId/invitations')
export class CommunityInvitationsController {
  constructor(
    private readonly api: CommunityApi,
    private readonly page: CommunityPageRenderer,
    private readonly urls: PublicUrlsConfig,
    private readonly notices: PageNoticesService,
  ) {}

  @Get()
  async show(
    @CurrentSignedInSession() session: SignedInSession,
    @Param({ schema: communityParams }) { communityId }: CommunityParams,
    @Res() response: Response,
  ): Promise<void> {
    const community = await this.page.load(session, communityId);
    const view = {
      tabs: toCommunityTabs(community, 'invitations'),
      visibility: community.visibility,
      ...this.findLink(community),
    };
    this.page.send(response, session, community.name, 'community-invitations', view, {
      title: 'Invitations',
      script: 'copy-buttons',
    });
  }

  /** Every link before the newest ends, and the page shows the newest: sending the form twice ends one more. */
  @Post()
  @FormBody()
  async renew(
    @CurrentSignedInSession() session: SignedInSession,
    @Param({ schema: communityParams }) { communityId }: CommunityParams,
    @Res() response: Response,
  ): Promise<void> {
    await this.api.renewInvitation(session.user, communityId);
    await this.notices.lead(response, session, toInvitationsPath(communityId), {
      text: 'The new link works, and all links before it have ended. Send it to those whom you invite; they appear among the members.',
      next: [{ href: toMembersPath(communityId), text: 'See the members' }],
    });
  }

  /** The link, and the path of the page to which it leads. */
  private findLink({
    id,
    visibility,
    inviteLink,
  }: ManagedCommunity): Pick<CommunityViews['community-invitations'], 'link' | 'linkPath'> {
    if (visibility === 'public') {
      const linkPath = toInvitationPath(id);
      return { link: this.urls.authUrl + linkPath, linkPath };
    }
    if (inviteLink === undefined) return {};
    return { link: inviteLink, linkPath: toInvitationPath(id, inviteLink.split('/').at(-1)) };
  }
}
