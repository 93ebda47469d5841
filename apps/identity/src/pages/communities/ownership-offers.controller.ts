import { AppError } from '@app/common';
import { FormBody } from '@app/service';
import { Body, Get, Param, Post, Res } from '@nestjs/common';
import type { Response } from 'express';
import { PortalCommunitiesClient } from '../../clients/portal-communities-client.js';
import { PageController } from '../page-controller.decorator.js';
import { PageNoticesService } from '../sessions/page-notices.service.js';
import {
  type SignedInSession,
  CurrentSignedInSession,
  CurrentWalletSession,
} from '../sessions/page-session.decorator.js';
import { formatMinute } from '../views/format-values.js';
import { PageRenderer } from '../views/page-renderer.js';
import {
  type AcceptedOfferForm,
  acceptedOfferForm,
  type CommunityParams,
  communityParams,
} from './communities.dto.js';
import { CommunityApi } from './community-api.js';
import { describeMembers, formatCount } from './community-overview.js';
import { toCommunityPath, toOfferPath } from './community-tabs.js';
import { toRoleReasons } from './member-reasons.js';
import { RuleWordsService } from './rule-words.service.js';
import { HOME_PATH } from '../sessions/login-path.js';
import { PeopleService, toPersonView } from './people.service.js';
import { endOnce } from './repeatable.js';

/** The limits of owners, and rules that have changed since, which the page of the offer explains. */
const LIMIT_STATUS = 409;
const NOT_FOUND = 404;
const OFFER_NOT_FOUND = 'ownership_offer_not_found';

/** A community that its owner offers to the signed-in user (docs/adr/0116-offers-of-ownership.md). */
@PageController('portal/ownership-offers/:communityId')
export class OwnershipOffersController {
  constructor(
    private readonly api: CommunityApi,
    private readonly client: PortalCommunitiesClient,
    private readonly people: PeopleService,
    private readonly words: RuleWordsService,
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
      await this.send(response, session, communityId);
    } catch (error) {
      if (!(await this.isOwnedBy(session, communityId, error))) throw error;
      // Whoever has accepted and goes back finds what the offer was about.
      response.redirect(303, toCommunityPath(communityId));
    }
  }

  @Post('accept')
  @FormBody()
  async accept(
    @CurrentWalletSession() session: SignedInSession,
    @Param({ schema: communityParams }) { communityId }: CommunityParams,
    @Body({ schema: acceptedOfferForm }) { revision: rulesRevision }: AcceptedOfferForm,
    @Res() response: Response,
  ): Promise<void> {
    const { userId, amr } = session.user;
    try {
      await this.acceptOnce({ userId, communityId, amr, rulesRevision }, session);
      await this.notices.lead(response, session, toCommunityPath(communityId), {
        text: 'You own this community now. The former owner still runs it with you, until you remove them:',
        next: [{ href: `${toCommunityPath(communityId)}/administrators`, text: 'See who runs it' }],
      });
    } catch (error) {
      if (!(error instanceof AppError) || error.statusCode !== LIMIT_STATUS) throw error;
      await this.send(response, session, communityId, error);
    }
  }

  @Post('decline')
  @FormBody()
  async decline(
    @CurrentSignedInSession() session: SignedInSession,
    @Param({ schema: communityParams }) { communityId }: CommunityParams,
    @Res() response: Response,
  ): Promise<void> {
    const { userId } = session.user;
    await endOnce(this.client.declineOwnershipOffer({ userId, communityId }), OFFER_NOT_FOUND);
    await this.notices.lead(response, session, HOME_PATH, {
      text: 'You have declined the offer. Nothing has changed in the community.',
    });
  }

  /** Forms are posted to these paths, so that reloading a response may request them with GET. */
  @Get(['accept', 'decline'])
  showAgain(
    @Param({ schema: communityParams }) { communityId }: CommunityParams,
    @Res() response: Response,
  ): void {
    response.redirect(303, toOfferPath(communityId));
  }

  /** The second click of a user finds no offer, and the user the owner already. */
  private async acceptOnce(
    request: Parameters<PortalCommunitiesClient['acceptOwnershipOffer']>[0],
    session: SignedInSession,
  ): Promise<void> {
    try {
      await this.client.acceptOwnershipOffer(request);
    } catch (error) {
      if (!(await this.isOwnedBy(session, request.communityId, error))) throw error;
    }
  }

  /** Whether there is no offer because the user owns the community. @param error of an operation about the offer */
  private async isOwnedBy({ user }: SignedInSession, communityId: string, error: unknown): Promise<boolean> {
    if (!(error instanceof AppError) || error.details['code'] !== OFFER_NOT_FOUND) return false;
    const found = await this.api.get(user, communityId).catch((missing: unknown) => {
      if (missing instanceof AppError && missing.statusCode === NOT_FOUND) return undefined;
      throw missing;
    });
    return found?.ownerId === user.userId;
  }

  private async send(
    response: Response,
    session: SignedInSession,
    communityId: string,
    refusal?: AppError,
  ): Promise<void> {
    const { userId } = session.user;
    const offer = await this.client.findOwnershipOffer({ userId, communityId });
    const [[from], names] = await Promise.all([
      this.people.describe([offer.fromUserId]),
      this.words.loadNames(),
    ]);
    const { name, memberCount, cost } = offer;
    const view = {
      ...{ name, path: toOfferPath(communityId), revision: String(offer.rulesRevision) },
      from: from ?? toPersonView({ platform: 'unknown' }),
      until: formatMinute(new Date(offer.expiresTime)),
      members: describeMembers(memberCount),
      roles: toRoleReasons({ ...offer, names }),
      cost: describeCost(cost),
      problem: refusal?.message,
    };
    const title = `Become the owner of ${name}`;
    const status = refusal?.statusCode ?? 200;
    this.pages.send(response, 'ownership-offer', view, { title, section: 'communities', session, status });
  }
}

type Cost = Awaited<ReturnType<PortalCommunitiesClient['findOwnershipOffer']>>['cost'];

function describeCost({ rules, readsPerCheck, isWithoutApplication }: Cost): string {
  const size = `${formatCount(rules)} ${rules === 1 ? 'rule' : 'rules'}; a check of all members asks chains ${formatCount(readsPerCheck)} times`;
  const whose = isWithoutApplication
    ? 'It counts as one of the communities that you may own without an approved application.'
    : 'Checks count on the plans of the applications that are attached.';
  return `${size}. ${whose}`;
}
