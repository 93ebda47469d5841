import type { IncomingMessage, ServerResponse } from 'node:http';
import { Injectable } from '@nestjs/common';
import type { Request, Response } from 'express';
import type { Interaction, InteractionResults } from 'oidc-provider';
import { findLoginHostRedirect } from '../browser-sessions/find-login-host-redirect.js';
import { PublicUrlsConfig } from '../common/public-urls.config.js';
import { OAUTH_PATHS } from './provider/oauth-paths.js';
import { ProviderCache } from './provider/provider-cache.js';
import {
  type ForwardedHeaders,
  createForwardedHeaders,
  createProviderRequest,
  type ProviderTarget,
} from './requests/create-provider-request.js';
import { ConsentService } from './storage/consent.service.js';
import { GrantService, type UserGrant } from './storage/grant.service.js';
import type { ConsentDecision } from './storage/insert-grant.js';
import { OAuthModelQueries } from './storage/oauth-model.queries.js';

/** One for each client application, with all that it may do and since when. @param grants the newest first */
export function mergeGrantsByClient(grants: readonly UserGrant[]): UserGrant[] {
  const clients = new Map<string, UserGrant>();
  for (const grant of grants) {
    const newer = clients.get(grant.clientId);
    const scopes = [...new Set([...(newer?.scopes ?? []), ...grant.scopes])];
    clients.set(grant.clientId, { ...(newer ?? grant), scopes, since: grant.since });
  }
  return [...clients.values()];
}

/** oidc-provider for the rest of this service. Everything throws AppError 503 while keys or data cannot be reached. */
@Injectable()
export class OidcService {
  private readonly forwarded: ForwardedHeaders;

  constructor(
    private readonly source: ProviderCache,
    private readonly urls: PublicUrlsConfig,
    private readonly grants: GrantService,
    private readonly decisions: ConsentService,
    private readonly store: OAuthModelQueries,
  ) {
    this.forwarded = createForwardedHeaders(urls.authUrl);
  }

  /** Lets oidc-provider answer a request. */
  async handleRequest(request: Request, response: Response, target: ProviderTarget): Promise<void> {
    await this.source.current.handleRequest(createProviderRequest(request, target, this.forwarded), response);
  }

  /** The same for a browser, at the host that its cookies belong to. */
  async handleBrowserRequest(request: Request, response: Response, target: ProviderTarget): Promise<void> {
    const elsewhere = findLoginHostRedirect(request, this.urls);
    if (elsewhere === undefined) await this.handleRequest(request, response, target);
    else response.setHeader('Cache-Control', 'no-store').redirect(303, elsewhere);
  }

  /**
   * The authorization request that this browser is in the middle of.
   * @throws errors.SessionNotFound of oidc-provider when it began in another browser, is over, or took too long
   */
  loadInteraction(request: IncomingMessage, response: ServerResponse): Promise<Interaction> {
    return this.source.current.provider.interactionDetails(request, response);
  }

  /** Keeps what the user decided. @returns where the browser goes on with it */
  async finishInteraction(
    request: IncomingMessage,
    response: ServerResponse,
    result: InteractionResults,
  ): Promise<string> {
    const interaction = await this.loadInteraction(request, response);
    // What somebody decided before a login was another's decision.
    const isAlone = 'error' in result || result.login !== undefined;
    interaction.result = isAlone ? result : { ...interaction.lastSubmission, ...result };
    await interaction.persist();
    if (result.login) await this.signOutOtherUser(result.login.accountId, request, response);
    return `${this.urls.authUrl}${OAUTH_PATHS.authorization}/${interaction.uid}`;
  }

  /** Keeps what a user allowed, and ends what that takes back. @returns the grant's id, for `{ consent: { grantId } }` */
  recordConsent(userId: string, clientId: string, answers: ConsentDecision): Promise<string> {
    return this.decisions.record({ userId, clientId }, answers);
  }

  /** Signs this browser out of oidc-provider: the next authorization request asks who is there. */
  async endSession(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const session = await this.sessionOf(request, response);
    if (session.accountId !== undefined) await session.destroy();
  }

  /**
   * Whoever was signed in to oidc-provider in this browser is not any more, unless it is this user. The session goes on with
   * nobody, so oidc-provider has nobody to sign out; what waits for the former user in other tabs has to begin again.
   */
  async signOutOtherUser(userId: string, request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { accountId, uid } = await this.sessionOf(request, response);
    if (accountId !== undefined && accountId !== userId) await this.store.clearSessionAccount(uid);
  }

  /** What this user allowed whom, one for each client application, the newest first. */
  async listGrants(userId: string): Promise<UserGrant[]> {
    return mergeGrantsByClient(await this.grants.list(userId));
  }

  /**
   * Takes back all that this user allowed a client application: its codes and tokens are worth nothing any more, at gateways
   * within seconds.
   */
  revokeConsent(userId: string, clientId: string): Promise<void> {
    return this.decisions.revoke({ userId, clientId });
  }

  /** As it is now: what an interaction remembers of it may be old. */
  private sessionOf(request: IncomingMessage, response: ServerResponse) {
    const { provider } = this.source.current;
    return provider.Session.get(provider.createContext(request, response));
  }
}
