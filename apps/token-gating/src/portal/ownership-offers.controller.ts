import {
  type AcceptOwnershipOfferRequest,
  acceptOwnershipOfferRequest,
  collectRules,
  type MakeOwnershipOfferRequest,
  makeOwnershipOfferRequest,
  ownershipOffer,
  type OwnershipOfferDetails,
  ownershipOfferDetails,
  type OwnershipOfferRequest,
  ownershipOfferRequest,
  type OwnershipOffersRequest,
  ownershipOffersRequest,
  type OwnershipOffersResponse,
  ownershipOffersResponse,
  portalDone,
  type PortalOwnershipOffer,
  rawRoleRule,
  storedRoleRules,
} from '@app/dto';
import { Database } from '@app/database';
import { InternalController, Returns } from '@app/service';
import { Body, Injectable, Post } from '@nestjs/common';
import { z } from 'zod';
import { countInlineReads } from '../checks/validate-rules.js';
import { IdentityClient } from '../clients/identity-client.js';
import type { OwnershipOffer } from '../communities/ownership-offers/ownership-offers.queries.js';
import { OwnershipOffersService } from '../communities/ownership-offers/ownership-offers.service.js';
import { loadRoles } from '../communities/roles/community-roles.queries.js';
import { toUserPrincipal } from './to-portal-answer.js';

const rawRules = z.array(rawRoleRule);
/** Names that identity is asked for at once: more offers are shown without. */
const MAX_NAMES = 100;

/** Offers of communities as pages show them. */
@Injectable()
export class PortalOffersService {
  constructor(
    private readonly database: Database,
    private readonly offers: OwnershipOffersService,
    private readonly identity: IdentityClient,
  ) {}

  async make({ userId, communityId, newOwnerId, amr }: MakeOwnershipOfferRequest) {
    const offer = await this.offers.offer(toUserPrincipal(userId), communityId, { newOwnerId, amr });
    return this.toOffer(offer);
  }

  async list(userId: string): Promise<OwnershipOffersResponse> {
    const offers = await this.toOffers(await this.offers.list(toUserPrincipal(userId)));
    return {
      made: offers.filter(({ fromUserId }) => fromUserId === userId),
      received: offers.filter(({ toUserId }) => toUserId === userId),
    };
  }

  async find({ userId, communityId }: OwnershipOfferRequest): Promise<OwnershipOfferDetails> {
    const { offer, community } = await this.offers.find(toUserPrincipal(userId), communityId);
    const roles = await loadRoles(this.database, [communityId]);
    const rules = collectRules(storedRoleRules.safeParse(community.rules).data ?? []);
    return {
      ...(await this.toOffer(offer)),
      roles: roles.get(communityId) ?? [],
      rules: rawRules.parse(community.rules),
      rulesRevision: community.rulesRevision,
      cost: {
        rules: rules.length,
        readsPerCheck: countInlineReads(rules, 1) * community.memberCount,
        isWithoutApplication: community.isWithoutApplication,
      },
    };
  }

  private async toOffer(offer: OwnershipOffer): Promise<PortalOwnershipOffer> {
    const [shown] = await this.toOffers([offer]);
    if (!shown) throw new Error('An offer is not shown');
    return shown;
  }

  private async toOffers(offers: readonly OwnershipOffer[]): Promise<PortalOwnershipOffer[]> {
    const userIds = [...new Set(offers.flatMap(({ fromUserId, toUserId }) => [fromUserId, toUserId]))];
    const names = await this.identity.fetchNames({ userIds: userIds.slice(0, MAX_NAMES) });
    return offers.map(({ expiresAt, ...offer }) => ({
      ...offer,
      fromName: names.get(offer.fromUserId),
      toName: names.get(offer.toUserId),
      expiresTime: expiresAt.toISOString(),
    }));
  }
}

/** Offers of communities in the portal (docs/adr/0116). */
@InternalController('internal/portal/ownership-offers', 'identity')
export class OwnershipOffersController {
  constructor(
    private readonly portalOffers: PortalOffersService,
    private readonly offers: OwnershipOffersService,
  ) {}

  @Post('make')
  @Returns(ownershipOffer)
  make(
    @Body({ schema: makeOwnershipOfferRequest }) request: MakeOwnershipOfferRequest,
  ): Promise<PortalOwnershipOffer> {
    return this.portalOffers.make(request);
  }

  @Post('list')
  @Returns(ownershipOffersResponse)
  list(
    @Body({ schema: ownershipOffersRequest }) { userId }: OwnershipOffersRequest,
  ): Promise<OwnershipOffersResponse> {
    return this.portalOffers.list(userId);
  }

  @Post('find')
  @Returns(ownershipOfferDetails)
  find(
    @Body({ schema: ownershipOfferRequest }) request: OwnershipOfferRequest,
  ): Promise<OwnershipOfferDetails> {
    return this.portalOffers.find(request);
  }

  @Post('withdraw')
  @Returns(portalDone)
  async withdraw(
    @Body({ schema: ownershipOfferRequest }) { userId, communityId }: OwnershipOfferRequest,
  ): Promise<object> {
    await this.offers.withdraw(toUserPrincipal(userId), communityId);
    return {};
  }

  @Post('accept')
  @Returns(portalDone)
  async accept(
    @Body({ schema: acceptOwnershipOfferRequest }) request: AcceptOwnershipOfferRequest,
  ): Promise<object> {
    const { userId, communityId, ...accepted } = request;
    await this.offers.accept(toUserPrincipal(userId), communityId, accepted);
    return {};
  }

  @Post('decline')
  @Returns(portalDone)
  async decline(
    @Body({ schema: ownershipOfferRequest }) { userId, communityId }: OwnershipOfferRequest,
  ): Promise<object> {
    await this.offers.decline(toUserPrincipal(userId), communityId);
    return {};
  }
}
