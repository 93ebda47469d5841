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
import type { CommunityFormView, CommunityViews } from '../views/community-views.js';
import { formatMinute } from '../views/format-values.js';
import {
  type CommunityForm,
  communityForm,
  type CommunityParams,
  communityParams,
  type DeletionForm,
  deletionForm,
  type OfferForm,
  offerForm,
} from './communities.dto.js';
import { CommunityApi } from './community-api.js';
import { describeMembers, formatCount } from './community-overview.js';
import { CommunityPageRenderer } from './community-page-renderer.js';
import { toCommunityPath, toCommunityTabs, toInvitationsPath } from './community-tabs.js';
import { REFUSED_FORM_STATUS, toFormProblems } from './form-problems.js';
import { endOnce } from './repeatable.js';
import { HOME_PATH } from '../sessions/login-path.js';
import { PeopleService } from './people.service.js';
import { VISIBILITY_CHOICES } from './visibilities.js';

interface Refusal {
  readonly form?: CommunityFormView;
  readonly offerProblem?: string;
  readonly deletion?: { readonly name: string; readonly problem: string };
}

/** What a community is called and who can see it, and its end. */
@PageController('portal/communities/:communityId')
export class CommunitySettingsController {
  constructor(
    private readonly api: CommunityApi,
    private readonly client: PortalCommunitiesClient,
    private readonly people: PeopleService,
    private readonly page: CommunityPageRenderer,
    private readonly notices: PageNoticesService,
  ) {}

  @Get('settings')
  async show(
    @CurrentSignedInSession() session: SignedInSession,
    @Param({ schema: communityParams }) { communityId }: CommunityParams,
    @Res() response: Response,
  ): Promise<void> {
    await this.send(response, session, communityId);
  }

  @Post('settings')
  @FormBody()
  async change(
    @CurrentSignedInSession() session: SignedInSession,
    @Param({ schema: communityParams }) { communityId }: CommunityParams,
    @Body({ schema: communityForm }) { name, visibility }: CommunityForm,
    @Res() response: Response,
  ): Promise<void> {
    try {
      await this.api.change(session.user, communityId, { name, visibility });
      await this.notices.lead(response, session, `${toCommunityPath(communityId)}/settings`, {
        text: 'The changes are saved.',
        next: [{ href: toInvitationsPath(communityId), text: 'See how people join' }],
      });
    } catch (error) {
      const problems = toFormProblems(error, 'name', ['name', 'visibility']);
      await this.send(response, session, communityId, { form: { name, visibility, problems } });
    }
  }

  /** Offers the community to an administrator, which is no change until the administrator accepts. Idempotent. */
  @Post('offer')
  @FormBody()
  async offer(
    @CurrentWalletSession() session: SignedInSession,
    @Param({ schema: communityParams }) { communityId }: CommunityParams,
    @Body({ schema: offerForm }) { newOwnerId }: OfferForm,
    @Res() response: Response,
  ): Promise<void> {
    const { userId, amr } = session.user;
    try {
      await this.client.makeOwnershipOffer({ userId, communityId, newOwnerId, amr });
      const [person] = await this.people.describe([newOwnerId]);
      await this.notices.lead(response, session, `${toCommunityPath(communityId)}/settings`, {
        text: 'You have offered the community to {name}, who sees the offer on the page Communities. Until it is accepted nothing changes.',
        name: person?.title,
      });
    } catch (error) {
      const { offer } = toFormProblems(error, 'offer');
      await this.send(response, session, communityId, { offerProblem: offer ?? '' });
    }
  }

  @Post('offer/withdraw')
  @FormBody()
  async withdrawOffer(
    @CurrentSignedInSession() session: SignedInSession,
    @Param({ schema: communityParams }) { communityId }: CommunityParams,
    @Res() response: Response,
  ): Promise<void> {
    await this.client.withdrawOwnershipOffer({ userId: session.user.userId, communityId });
    await this.notices.lead(response, session, `${toCommunityPath(communityId)}/settings`, {
      text: 'The offer is withdrawn. You stay the owner.',
    });
  }

  /** Forms are posted to these paths, so that reloading a response may request them with GET. */
  @Get(['delete', 'offer', 'offer/withdraw'])
  showDeletion(
    @Param({ schema: communityParams }) { communityId }: CommunityParams,
    @Res() response: Response,
  ): void {
    response.redirect(303, `${toCommunityPath(communityId)}/settings`);
  }

  @Post('delete')
  @FormBody()
  async delete(
    @CurrentWalletSession() session: SignedInSession,
    @Param({ schema: communityParams }) { communityId }: CommunityParams,
    @Body({ schema: deletionForm }) { confirmation }: DeletionForm,
    @Res() response: Response,
  ): Promise<void> {
    const community = await this.page.load(session, communityId).catch((error: unknown) => {
      if (error instanceof AppError && error.details['code'] === 'community_not_found') return undefined;
      throw error;
    });
    // A second click finds the community deleted, and its user on the page that says so.
    if (!community) {
      response.redirect(303, HOME_PATH);
      return;
    }
    const { name } = community;
    if (confirmation !== name) {
      const problem = `This is not the name of the community, which is: ${name}`;
      await this.send(response, session, communityId, { deletion: { name: confirmation, problem } });
      return;
    }
    await endOnce(this.api.delete(session.user, communityId), 'community_not_found');
    await this.notices.lead(response, session, HOME_PATH, {
      text: 'The community {name} is deleted, and nobody has roles in it any more.',
      name,
      next: [{ href: `${HOME_PATH}/new`, text: 'Create another community' }],
    });
  }

  private async send(
    response: Response,
    session: SignedInSession,
    communityId: string,
    refusal: Refusal = {},
  ): Promise<void> {
    const community = await this.page.load(session, communityId);
    const { name, visibility, stats, roles, ownerId } = community;
    const isOwner = ownerId === session.user.userId;
    const transfer = isOwner ? await this.loadTransfer(session, communityId) : NO_TRANSFER;
    const view = {
      ...transfer,
      offerProblem: refusal.offerProblem,
      tabs: toCommunityTabs(community, 'settings'),
      isOwner,
      form: refusal.form ?? { name, visibility, problems: {} },
      choices: VISIBILITY_CHOICES,
      name,
      memberCount: describeMembers(stats.memberCount),
      roleCount: `${formatCount(roles.length)} ${roles.length === 1 ? 'role' : 'roles'}`,
      deletion: refusal.deletion ?? { name: '', problem: undefined },
    };
    const status = Object.keys(refusal).length > 0 ? REFUSED_FORM_STATUS : 200;
    this.page.send(response, session, name, 'community-settings', view, { title: 'Settings', status });
  }

  /** The open offer of the owner, or else who can get one. */
  private async loadTransfer(
    { user }: SignedInSession,
    communityId: string,
  ): Promise<Pick<CommunityViews['community-settings'], 'offer' | 'candidates'>> {
    const [{ made }, administrators] = await Promise.all([
      this.client.listOwnershipOffers({ userId: user.userId }),
      this.api.listAdministrators(user, communityId),
    ]);
    const offer = made.find((each) => each.communityId === communityId);
    const ids = offer
      ? [offer.toUserId]
      : administrators.filter(({ isOwner }) => !isOwner).map(({ userId }) => userId);
    const people = await this.people.describe(ids);
    const [to] = people;
    if (offer && to)
      return { offer: { to, until: formatMinute(new Date(offer.expiresTime)) }, candidates: [] };
    const candidates = people.map(({ title, account, isNamed }, index) => ({
      id: ids[index] ?? '',
      text: isNamed && account !== '' ? `${title} (${account})` : title,
    }));
    return { offer: undefined, candidates };
  }
}

const NO_TRANSFER = { offer: undefined, candidates: [] };
