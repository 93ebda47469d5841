import { AppError } from '@app/common';
import {
  type AcceptOwnershipOfferRequest,
  type CallbackStatesRequest,
  type CallbackStatesResponse,
  callbackStatesResponse,
  type EndedMembershipRequest,
  type EndedMembershipResponse,
  endedMembershipResponse,
  type MakeOwnershipOfferRequest,
  type NewPortalCommunityRequest,
  ownershipOffer,
  type OwnershipOfferDetails,
  ownershipOfferDetails,
  type OwnershipOfferRequest,
  type OwnershipOffersRequest,
  type OwnershipOffersResponse,
  ownershipOffersResponse,
  type PortalInvitation,
  portalInvitation,
  type PortalInvitationRequest,
  type PortalMember,
  portalMember,
  type PortalMemberRequest,
  type portalMembersRequest,
  type PortalMembersResponse,
  portalMembersResponse,
  type PortalOwnershipOffer,
  type PortalCatalogue,
  portalCatalogue,
  portalDone,
  type PortalMemberCheckRequest,
  type PortalMemberCheckResponse,
  portalMemberCheckResponse,
  portalTokenResponse,
  type RuleTrialResponse,
  ruleTrialResponse,
} from '@app/dto';
import { InternalClient } from '@app/service';
import { Injectable, type OnApplicationShutdown } from '@nestjs/common';
import type { z } from 'zod';
import { portalUnavailable } from './portal-api.js';
import { TokenGatingClientConfig } from './token-gating-client.js';

/** Longer than what token-gating itself waits for chains. */
const READ_TIMEOUT_MS = 12_000;
/** What an answer may hold: twenty addresses with an explanation for each of 250 rules. */
const MAX_RESPONSE_BYTES = 16 * 1024 * 1024;
const NOT_FOUND_BY_ROUTE = 'path_not_found';

/** The chain of local nodes, which lists of chains call by the name of the program that most people run it with. */
const LOCAL_CHAIN_ID = 31_337;

const nameForPeople = (chain: PortalCatalogue['chains'][number]): PortalCatalogue['chains'][number] =>
  chain.chainId === LOCAL_CHAIN_ID ? { ...chain, name: `Local chain (${chain.name})` } : chain;

/**
 * What token-gating offers the portal beside its operations (PortalApi). Every method throws the AppError with which token-gating
 * answered, and 503 `communities_unavailable` while it is away. Reads of chains, searches of members and invitations of visitors who
 * are not signed in have a pool of connections each, so that slow or many ones delay no other page.
 */
@Injectable()
export class PortalCommunitiesClient implements OnApplicationShutdown {
  private readonly client: InternalClient;
  private readonly reads: InternalClient;
  private readonly searches: InternalClient;
  private readonly visits: InternalClient;

  constructor({ INTERNAL_SIGNING_KEY: signingKey, TOKEN_GATING_URL: origin }: TokenGatingClientConfig) {
    const options = { signingKey, app: 'token-gating', origin, maxBytes: MAX_RESPONSE_BYTES };
    this.client = new InternalClient({ ...options, connections: 4 });
    this.reads = new InternalClient({ ...options, connections: 8, timeoutMs: READ_TIMEOUT_MS });
    this.searches = new InternalClient({ ...options, connections: 4, timeoutMs: READ_TIMEOUT_MS });
    this.visits = new InternalClient({ ...options, connections: 4 });
  }

  /**
   * Counts a community, then creates it. One that is refused does not count. @throws AppError 429 `new_community_limit_exceeded`, and what
   * `create` throws
   */
  async countNewCommunity<T>(request: NewPortalCommunityRequest, create: () => Promise<T>): Promise<T> {
    await this.ask(this.client, 'new-communities', request, portalDone);
    try {
      return await create();
    } catch (error) {
      // Where it is unknown whether there is a community it counts, and a count that cannot be taken back hides no refusal.
      if (error instanceof AppError && error.statusCode < 500)
        await this.ask(this.client, 'new-communities/refused', request, portalDone).catch(() => undefined);
      throw error;
    }
  }

  /** The chains and rule types of the deployment, and the limits of communities without an approved application. */
  async loadCatalogue(): Promise<PortalCatalogue> {
    const catalogue = await this.ask(this.client, 'catalogue', {}, portalCatalogue);
    return { ...catalogue, chains: catalogue.chains.map(nameForPeople) };
  }

  /** What a contract says of itself. @throws AppError 400, 404 `contract_not_found`, 429, 503 */
  readToken(request: { userId: string; chainId: number; contractAddress: string }) {
    return this.ask(this.reads, 'tokens', request, portalTokenResponse);
  }

  /** @param request rules as they would be saved. @throws AppError as saving them, 400 with issues of `addresses`, 429 */
  tryRules(request: {
    userId: string;
    communityId: string;
    rules: readonly object[];
    addresses: readonly string[];
  }): Promise<RuleTrialResponse> {
    return this.ask(this.reads, 'rule-trials', request, ruleTrialResponse);
  }

  /** Checks a member now, and says why. Administrators may, and members themselves. @throws AppError 403, 404, 429 */
  checkMember(request: PortalMemberCheckRequest): Promise<PortalMemberCheckResponse> {
    return this.ask(this.reads, 'member-checks', request, portalMemberCheckResponse);
  }

  /** What an invited person sees. @param request a public community needs no code. @throws AppError 404 `community_not_found` */
  readInvitation(request: PortalInvitationRequest): Promise<PortalInvitation> {
    const client = request.userId === undefined ? this.visits : this.reads;
    return this.ask(client, 'invitations', request, portalInvitation);
  }

  /** A page of members, with their roles. @throws AppError 403, 404, 503 */
  listMembers(request: z.input<typeof portalMembersRequest>): Promise<PortalMembersResponse> {
    return this.ask(this.searches, 'members', request, portalMembersResponse);
  }

  /** A member with the roles that are stored, for administrators and members themselves. @throws AppError 403, 404 */
  findMember(request: PortalMemberRequest): Promise<PortalMember> {
    return this.ask(this.client, 'members/find', request, portalMember);
  }

  /** How a membership of the user ended, for the user alone. */
  findEndedMembership(request: EndedMembershipRequest): Promise<EndedMembershipResponse> {
    return this.ask(this.client, 'members/ended', request, endedMembershipResponse);
  }

  /** How the callbacks of attached applications went. @throws AppError 403, 404 */
  loadCallbackStates(request: CallbackStatesRequest): Promise<CallbackStatesResponse> {
    return this.ask(this.client, 'callback-states', request, callbackStatesResponse);
  }

  /** Offers a community to an administrator. @throws AppError 403 with a passkey or for who is not the owner, 409 */
  makeOwnershipOffer(request: MakeOwnershipOfferRequest): Promise<PortalOwnershipOffer> {
    return this.ask(this.client, 'ownership-offers/make', request, ownershipOffer);
  }

  /** The open offers of and to a user. */
  listOwnershipOffers(request: OwnershipOffersRequest): Promise<OwnershipOffersResponse> {
    return this.ask(this.client, 'ownership-offers/list', request, ownershipOffersResponse);
  }

  /** An open offer with what the new owner takes over, for both sides. @throws AppError 404 `ownership_offer_not_found` */
  findOwnershipOffer(request: OwnershipOfferRequest): Promise<OwnershipOfferDetails> {
    return this.ask(this.client, 'ownership-offers/find', request, ownershipOfferDetails);
  }

  /** For the owner; does nothing where there is no offer. */
  async withdrawOwnershipOffer(request: OwnershipOfferRequest): Promise<void> {
    await this.ask(this.client, 'ownership-offers/withdraw', request, portalDone);
  }

  /** Makes the user the owner. @throws AppError 403 with a passkey, 404 `ownership_offer_not_found`, 409 at the limits */
  async acceptOwnershipOffer(request: AcceptOwnershipOfferRequest): Promise<void> {
    await this.ask(this.client, 'ownership-offers/accept', request, portalDone);
  }

  /** @throws AppError 404 `ownership_offer_not_found` */
  async declineOwnershipOffer(request: OwnershipOfferRequest): Promise<void> {
    await this.ask(this.client, 'ownership-offers/decline', request, portalDone);
  }

  async onApplicationShutdown(): Promise<void> {
    const clients = [this.client, this.reads, this.searches, this.visits];
    await Promise.all(clients.map((client) => client.close()));
  }

  private async ask<S extends z.ZodType>(
    client: InternalClient,
    name: string,
    request: object,
    schema: S,
  ): Promise<z.output<S>> {
    try {
      return await client.ask(`/internal/portal/${name}`, request, schema);
    } catch (error) {
      // A token-gating of the release before has no such path.
      const isAnswer = error instanceof AppError && error.details['code'] !== NOT_FOUND_BY_ROUTE;
      throw isAnswer ? error : portalUnavailable(error);
    }
  }
}
