import { AppError } from '@app/common';
import {
  type NewPortalCommunityRequest,
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

/**
 * What token-gating offers the portal beside its operations (PortalApi). Every method throws the AppError with which token-gating
 * answered, and 503 `communities_unavailable` while it is away. Reads of chains have a pool of connections of their own, so that slow
 * ones delay no other page.
 */
@Injectable()
export class PortalCommunitiesClient implements OnApplicationShutdown {
  private readonly client: InternalClient;
  private readonly reads: InternalClient;

  constructor({ INTERNAL_SIGNING_KEY: signingKey, TOKEN_GATING_URL: origin }: TokenGatingClientConfig) {
    const options = { signingKey, app: 'token-gating', origin, maxBytes: MAX_RESPONSE_BYTES };
    this.client = new InternalClient({ ...options, connections: 4 });
    this.reads = new InternalClient({ ...options, connections: 8, timeoutMs: READ_TIMEOUT_MS });
  }

  /** Counts a community that is about to be created. @throws AppError 429 `new_community_limit_exceeded` */
  async countNewCommunity(request: NewPortalCommunityRequest): Promise<void> {
    await this.ask(this.client, 'new-communities', request, portalDone);
  }

  /** The chains and rule types of the deployment, and the limits of communities without an approved application. */
  loadCatalogue(): Promise<PortalCatalogue> {
    return this.ask(this.client, 'catalogue', {}, portalCatalogue);
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

  async onApplicationShutdown(): Promise<void> {
    await Promise.all([this.client.close(), this.reads.close()]);
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
