import { AppError } from '@app/common';
import { FormBody } from '@app/service';
import { Get, Header, Param, Post, Res } from '@nestjs/common';
import type { Response } from 'express';
import { PortalCommunitiesClient } from '../../clients/portal-communities-client.js';
import { CommunityApi } from '../communities/community-api.js';
import { describeMembers } from '../communities/community-overview.js';
import { toInvitationPath, toMembershipPath } from '../communities/community-tabs.js';
import { RuleWordsService } from '../communities/rule-words.service.js';
import { toRoleReasons } from '../communities/member-reasons.js';
import { PageController } from '../page-controller.decorator.js';
import { toLoginPath } from '../sessions/login-path.js';
import { PageNoticesService } from '../sessions/page-notices.service.js';
import {
  type SignedInSession,
  CurrentSession,
  CurrentSignedInSession,
  type PageSession,
} from '../sessions/page-session.decorator.js';
import { PageRenderer } from '../views/page-renderer.js';
import { type InvitationParams, invitationParams } from '../communities/communities.dto.js';

/** Statuses of a refused joining that the page of the invitation explains. */
const REFUSED_STATUSES = [409, 429];
const NOT_FOUND = 404;

/**
 * The page on which people join a community: by the code of an invitation link, or a public one without. The link's code is in the path, which the
 * pages' `Referrer-Policy: same-origin` keeps from other sites; nothing is loaded from elsewhere.
 */
@PageController('portal/invitations')
export class InvitationController {
  constructor(
    private readonly api: CommunityApi,
    private readonly client: PortalCommunitiesClient,
    private readonly words: RuleWordsService,
    private readonly pages: PageRenderer,
    private readonly notices: PageNoticesService,
  ) {}

  @Get([':communityId', ':communityId/:code'])
  @Header('X-Robots-Tag', 'noindex')
  async show(
    @CurrentSession() session: PageSession,
    @Param({ schema: invitationParams }) params: InvitationParams,
    @Res() response: Response,
  ): Promise<void> {
    await this.send(response, session, params);
  }

  /** Idempotent. */
  @Post([':communityId', ':communityId/:code'])
  @FormBody()
  async join(
    @CurrentSignedInSession() session: SignedInSession,
    @Param({ schema: invitationParams }) params: InvitationParams,
    @Res() response: Response,
  ): Promise<void> {
    try {
      await this.api.join(session.user, params.communityId, params.code);
      await this.checkNewMember(session, params.communityId);
      await this.notices.lead(response, session, toMembershipPath(params.communityId), {
        text: 'You are a member now. What your other wallets hold counts as well, once you link them:',
        next: [{ href: '/portal/wallets', text: 'Link a wallet' }],
      });
    } catch (error) {
      if (isNotFound(error)) this.sendEnded(response, session);
      else if (!(error instanceof AppError) || !REFUSED_STATUSES.includes(error.statusCode)) throw error;
      else await this.send(response, session, params, error);
    }
  }

  /** The page that follows shows the roles. A check that is refused now is made a moment later, as for each new member. */
  private async checkNewMember({ user: { userId } }: SignedInSession, communityId: string): Promise<void> {
    await this.client.checkMember({ userId, communityId, memberId: userId }).catch((error: unknown) => {
      if (!(error instanceof AppError)) throw error;
    });
  }

  private async send(
    response: Response,
    session: PageSession,
    { communityId, code }: InvitationParams,
    refusal?: AppError,
  ): Promise<void> {
    const request = { communityId, code, userId: session.user?.userId };
    const invitation = await this.client.readInvitation(request).catch((error: unknown) => {
      if (isNotFound(error)) return undefined;
      throw error;
    });
    if (!invitation) {
      this.sendEnded(response, session);
      return;
    }
    const { name, owner, memberCount, roles, rules, user } = invitation;
    const isMember = user?.isMember === true;
    const names = await this.words.loadNames();
    const path = toInvitationPath(communityId, code);
    const view = {
      ...{ name, owner, path },
      members: describeMembers(memberCount),
      isSignedIn: user !== undefined,
      isChecked: user?.check !== undefined,
      mayJoin: user?.mayJoin === true,
      isMember,
      roles: toRoleReasons({ roles, rules, names }, user?.check, isMember ? 'own' : 'invited'),
      refusal: refusal?.message,
      membershipPath: toMembershipPath(communityId),
      loginPath: toLoginPath(path),
    };
    const status = refusal?.statusCode ?? 200;
    this.pages.send(response, 'invitation', view, {
      title: isMember ? name : `Join ${name}`,
      session,
      status,
      signInTo: path,
    });
  }

  private sendEnded(response: Response, session: PageSession): void {
    const title = 'This invitation is not valid';
    this.pages.send(response, 'invitation-ended', {}, { title, session, status: NOT_FOUND });
  }
}

const isNotFound = (error: unknown): boolean => error instanceof AppError && error.statusCode === NOT_FOUND;
