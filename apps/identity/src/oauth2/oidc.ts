import type { IncomingMessage, ServerResponse } from 'node:http';
import { Injectable } from '@nestjs/common';
import type { Request, Response } from 'express';
import type { Interaction, InteractionResults } from 'oidc-provider';
import { hostOfLogins } from '../browser-sessions/host-of-logins.js';
import { PublicUrlsConfig } from '../public-urls.config.js';
import { PATHS } from './provider/paths.js';
import { ProviderSource } from './provider/provider-source.js';
import {
  type ForwardedFor,
  forwardedFor,
  providerRequest,
  type ProviderTarget,
} from './requests/provider-request.js';
import { byClient } from './storage/by-client.js';
import { Decisions } from './storage/decisions.js';
import { Grants, type UserGrant } from './storage/grants.js';
import type { Answers } from './storage/insert-grant.js';
import { ModelStore } from './storage/model-store.js';

/** oidc-provider for the rest of this service. Everything throws AppError 503 while keys or data cannot be reached. */
@Injectable()
export class Oidc {
  private readonly forwarded: ForwardedFor;

  constructor(
    private readonly source: ProviderSource,
    private readonly urls: PublicUrlsConfig,
    private readonly grants: Grants,
    private readonly decisions: Decisions,
    private readonly store: ModelStore,
  ) {
    this.forwarded = forwardedFor(urls.authUrl);
  }

  /** Lets oidc-provider answer a request. */
  async answer(request: Request, response: Response, target: ProviderTarget): Promise<void> {
    await this.source.current.answer(providerRequest(request, target, this.forwarded), response);
  }

  /** The same for a browser, at the host that its cookies belong to. */
  async answerBrowser(request: Request, response: Response, target: ProviderTarget): Promise<void> {
    const elsewhere = hostOfLogins(request, this.urls);
    if (elsewhere === undefined) await this.answer(request, response, target);
    else response.setHeader('Cache-Control', 'no-store').redirect(303, elsewhere);
  }

  /**
   * The authorization request that this browser is in the middle of.
   * @throws errors.SessionNotFound of oidc-provider when it began in another browser, is over, or took too long
   */
  interactionDetails(request: IncomingMessage, response: ServerResponse): Promise<Interaction> {
    return this.source.current.provider.interactionDetails(request, response);
  }

  /** Keeps what the user decided. @returns where the browser goes on with it */
  async decide(
    request: IncomingMessage,
    response: ServerResponse,
    result: InteractionResults,
  ): Promise<string> {
    const interaction = await this.interactionDetails(request, response);
    // What somebody decided before a login was another's decision.
    const isAlone = 'error' in result || result.login !== undefined;
    interaction.result = isAlone ? result : { ...interaction.lastSubmission, ...result };
    await interaction.persist();
    if (result.login) await this.makeRoomFor(result.login.accountId, request, response);
    return `${this.urls.authUrl}${PATHS.authorization}/${interaction.uid}`;
  }

  /** Keeps what a user allowed, and ends what that takes back. @returns the grant's id, for `{ consent: { grantId } }` */
  grantFor(userId: string, clientId: string, answers: Answers): Promise<string> {
    return this.decisions.make({ userId, clientId }, answers);
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
  async makeRoomFor(userId: string, request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { accountId, uid } = await this.sessionOf(request, response);
    if (accountId !== undefined && accountId !== userId) await this.store.forgetAccount(uid);
  }

  /** What this user allowed whom, one for each client application, the newest first. */
  async grantsOf(userId: string): Promise<UserGrant[]> {
    return byClient(await this.grants.of(userId));
  }

  /**
   * Takes back all that this user allowed a client application: its codes and tokens are worth nothing any more, at gateways
   * within seconds.
   */
  takeBack(userId: string, clientId: string): Promise<void> {
    return this.decisions.takeBack({ userId, clientId });
  }

  /** As it is now: what an interaction remembers of it may be old. */
  private sessionOf(request: IncomingMessage, response: ServerResponse) {
    const { provider } = this.source.current;
    return provider.Session.get(provider.createContext(request, response));
  }
}
