import type { IncomingMessage, ServerResponse } from 'node:http';
import { Injectable } from '@nestjs/common';
import type { Request, Response } from 'express';
import type { Interaction, InteractionResults } from 'oidc-provider';
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
import { Grants, type UserGrant } from './storage/grants.js';
import { ModelStore } from './storage/model-store.js';

/** oidc-provider for the rest of this service. Everything throws AppError 503 while keys or data cannot be reached. */
@Injectable()
export class Oidc {
  private readonly forwarded: ForwardedFor;

  constructor(
    private readonly source: ProviderSource,
    private readonly urls: PublicUrlsConfig,
    private readonly grants: Grants,
    private readonly store: ModelStore,
  ) {
    this.forwarded = forwardedFor(urls.authUrl);
  }

  /** Lets oidc-provider answer a request. */
  async answer(request: Request, response: Response, target: ProviderTarget): Promise<void> {
    await this.source.current.answer(providerRequest(request, target, this.forwarded), response);
  }

  /**
   * The authorization request that this browser is in the middle of.
   * @throws errors.SessionNotFound of oidc-provider when it began in another browser, is over, or took too long
   */
  interactionDetails(request: IncomingMessage, response: ServerResponse): Promise<Interaction> {
    return this.source.current.provider.interactionDetails(request, response);
  }

  /** Sends the browser on with what the user decided. */
  async interactionFinished(
    request: IncomingMessage,
    response: ServerResponse,
    result: InteractionResults,
  ): Promise<void> {
    const interaction = await this.interactionDetails(request, response);
    interaction.result = 'error' in result ? result : { ...interaction.lastSubmission, ...result };
    await interaction.persist();
    await this.makeRoomFor(result.login?.accountId, interaction);
    response.statusCode = 303;
    response.setHeader('Location', `${this.urls.authUrl}${PATHS.authorization}/${interaction.uid}`);
    response.setHeader('Cache-Control', 'no-store');
    response.setHeader('Content-Length', '0');
    response.end();
  }

  /** @returns the id of a new grant, for `{ consent: { grantId } }` */
  grantFor(
    accountId: string,
    clientId: string,
    { granted, refused }: { granted: readonly string[]; refused: readonly string[] },
  ): Promise<string> {
    const grant = new this.source.current.provider.Grant({ accountId, clientId });
    if (granted.length > 0) grant.addOIDCScope([...granted]);
    if (refused.length > 0) grant.rejectOIDCScope([...refused]);
    return grant.save();
  }

  /** Signs this browser out of oidc-provider: the next authorization request asks who is there. */
  async endSession(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { provider } = this.source.current;
    const session = await provider.Session.get(provider.createContext(request, response));
    if (session.accountId !== undefined) await session.destroy();
  }

  /** What this user allowed whom, one for each client application, the newest first. */
  async grantsOf(userId: string): Promise<UserGrant[]> {
    return byClient(await this.grants.of(userId));
  }

  /**
   * Takes back all that this user allowed the client application of a grant: its codes and tokens are worth nothing any more,
   * at gateways within seconds.
   */
  revokeGrant(userId: string, grantId: string): Promise<void> {
    return this.grants.revoke(userId, grantId);
  }

  /** Another user signed in where one was: the session goes on with nobody, and oidc-provider has nobody to sign out. */
  private async makeRoomFor(accountId: string | undefined, { session }: Interaction): Promise<void> {
    if (accountId === undefined || session === undefined || session.accountId === accountId) return;
    await this.store.forgetAccount(session.uid);
  }
}
