import {
  isWalletLogin,
  type LoginMethods,
  type Principal,
  requireSignedInUser,
  walletLoginRequired,
} from '@app/auth';
import { conflict, notFound } from '@app/common';
import { Database } from '@app/database';
import { ServiceContext, Sweeper } from '@app/service';
import { Injectable } from '@nestjs/common';
import { MAX_SWEEP_ROWS, SweepConfig } from '../../database/sweep.config.js';
import { lockCommunity, updateOwner } from '../access/communities.queries.js';
import { CommunityAccessService } from '../access/community-access.service.js';
import { rulesChanged } from '../access/community.errors.js';
import type { ViewedCommunity } from '../access/community-record.js';
import { isAdministrator } from '../administrators/community-administrators.queries.js';
import { checkCanOwn, newOwnerNotAdministrator } from '../community/communities.service.js';
import {
  deleteEndedOffers,
  deleteOffer,
  findOpenOffer,
  insertOffer,
  listOpenOffers,
  type OwnershipOffer,
} from './ownership-offers.queries.js';

/** Nobody owns or is offered more. */
const MAX_LISTED_OFFERS = 200;

function requireWalletLogin(amr: LoginMethods | null): void {
  if (!isWalletLogin(amr)) throw walletLoginRequired();
}

/**
 * Offers of communities to an administrator, who takes one over after having seen what it is (docs/adr/0116). Each method locks the community
 * first, so that an offer that is withdrawn at the moment in which it is accepted is either or.
 */
@Injectable()
export class OwnershipOffersService {
  constructor(
    private readonly database: Database,
    private readonly access: CommunityAccessService,
  ) {}

  /** Idempotent. @throws AppError 403 for who is not the owner or signed in with a passkey, 409 for another open offer */
  async offer(
    principal: Principal,
    communityId: string,
    { newOwnerId, amr }: { readonly newOwnerId: string; readonly amr: LoginMethods | null },
  ): Promise<OwnershipOffer> {
    requireWalletLogin(amr);
    return this.database.transaction(async (manager) => {
      const { ownerId } = await this.access.requireOwner(principal, communityId, manager);
      const isCandidate = newOwnerId !== ownerId && (await isAdministrator(manager, communityId, newOwnerId));
      if (!isCandidate) throw newOwnerNotAdministrator();
      const open = await findOpenOffer(manager, communityId);
      if (open && open.toUserId !== newOwnerId) throw offerConflict();
      if (!open) await insertOffer(manager, communityId, { fromUserId: ownerId, toUserId: newOwnerId });
      const offered = open ?? (await findOpenOffer(manager, communityId));
      if (!offered) throw offerNotFound();
      return offered;
    });
  }

  /** Idempotent, for the owner. */
  async withdraw(principal: Principal, communityId: string): Promise<void> {
    await this.database.transaction(async (manager) => {
      await this.access.requireOwner(principal, communityId, manager);
      await deleteOffer(manager, communityId);
    });
  }

  list(principal: Principal): Promise<OwnershipOffer[]> {
    return listOpenOffers(this.database, requireSignedInUser(principal).id, MAX_LISTED_OFFERS);
  }

  /** The open offer and its community, for both sides. @throws AppError 404 for others, and where there is none */
  async find(
    principal: Principal,
    communityId: string,
  ): Promise<{ readonly offer: OwnershipOffer; readonly community: ViewedCommunity }> {
    const { id } = requireSignedInUser(principal);
    const offer = await findOpenOffer(this.database, communityId);
    if (!offer || (offer.fromUserId !== id && offer.toUserId !== id)) throw offerNotFound();
    return { offer, community: await this.access.requireAdministrator(principal, communityId) };
  }

  /** Makes the user the owner; the former owner stays an administrator. @throws AppError 404, 403 with a passkey, 409 for other rules than the user has read and at the limits */
  async accept(
    principal: Principal,
    communityId: string,
    { amr, rulesRevision }: { readonly amr: LoginMethods | null; readonly rulesRevision: number },
  ): Promise<void> {
    const { id } = requireSignedInUser(principal);
    requireWalletLogin(amr);
    await this.database.transaction(async (manager) => {
      await lockCommunity(manager, communityId);
      const offer = await findOpenOffer(manager, communityId);
      if (offer?.toUserId !== id) throw offerNotFound();
      const community = await this.access.requireAdministrator(principal, communityId, manager);
      if (community.rulesRevision !== rulesRevision) throw rulesChanged();
      await checkCanOwn(manager, community, id);
      await updateOwner(manager, communityId, id);
    });
  }

  /** @throws AppError 404 for others, and where there is no offer */
  async decline(principal: Principal, communityId: string): Promise<void> {
    const { id } = requireSignedInUser(principal);
    await this.database.transaction(async (manager) => {
      await lockCommunity(manager, communityId);
      const offer = await findOpenOffer(manager, communityId);
      if (offer?.toUserId !== id) throw offerNotFound();
      await deleteOffer(manager, communityId);
    });
  }
}

/** Deletes offers that have expired, or whose community has changed. */
@Injectable()
export class OwnershipOffersSweeper extends Sweeper {
  constructor(config: SweepConfig, context: ServiceContext, database: Database) {
    const sweep = async () => (await deleteEndedOffers(database, MAX_SWEEP_ROWS)) === MAX_SWEEP_ROWS;
    super(context, [{ name: 'delete ended offers of communities', sweep }], config.SWEEP_INTERVAL_MS);
  }
}

const offerNotFound = () =>
  notFound(
    'ownership_offer_not_found',
    'There is no such offer: it was withdrawn, has expired, or its community has changed.',
  );

const offerConflict = () =>
  conflict(
    'ownership_offer_conflict',
    'The community is offered to another administrator: withdraw that offer first.',
  );
