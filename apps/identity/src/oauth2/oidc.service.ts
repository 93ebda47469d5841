import type { RequestHeaderName } from '@app/openapi';
import { getHeader } from '@app/service';
import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from 'node:http';
import { badRequest } from '@app/common';
import { Injectable } from '@nestjs/common';
import type { Request, Response } from 'express';
import { decodeJwt, errors } from 'jose';
import { Readable } from 'node:stream';
import type { Client, Interaction, InteractionResults } from 'oidc-provider';
import { findLoginHostRedirect } from '../browser-sessions/find-login-host-redirect.js';
import { PublicUrlsConfig } from '../common/identity.config.js';
import { OAUTH_PATHS } from './provider/oauth-paths.js';
import { ProviderCache } from './provider/provider-cache.js';
import { ConsentService } from './storage/consent.service.js';
import { GrantService } from './storage/grant.service.js';
import { type ConsentDecision, OAuthModelQueries, type UserGrant } from './storage/oauth-models.queries.js';

interface ProviderTarget {
  /** Path and query for oidc-provider. */
  readonly url: string;
  /** The parsed and validated form of a POST. */
  readonly form?: Readonly<Record<string, string>>;
}

/** The headers that oidc-provider needs. Host and protocol come from the configuration instead. */
const FORWARDED_HEADER_NAMES = [
  'accept',
  'authorization',
  'cookie',
] as const satisfies readonly RequestHeaderName[];

/** The service's public URL as the headers of a proxy. */
type ForwardedHeaders = Readonly<Record<'host' | 'x-forwarded-host' | 'x-forwarded-proto', string>>;

function createForwardedHeaders(origin: string): ForwardedHeaders {
  const { protocol, host } = new URL(origin);
  return { host, 'x-forwarded-host': host, 'x-forwarded-proto': protocol.slice(0, -1) };
}

/**
 * Creates a request for oidc-provider at the service's public URL, with the known parameters and headers only and with an
 * unread body.
 */
function createProviderRequest(
  request: Request,
  { url, form }: ProviderTarget,
  forwarded: ForwardedHeaders,
): IncomingMessage {
  const headers: IncomingHttpHeaders = { ...forwarded };
  for (const name of FORWARDED_HEADER_NAMES) {
    const value = getHeader(request, name);
    if (value !== undefined) headers[name] = value;
  }
  const stream = new Readable({ read: () => undefined });
  if (form) {
    const body = new URLSearchParams(form).toString();
    headers['content-type'] = 'application/x-www-form-urlencoded';
    headers['content-length'] = String(Buffer.byteLength(body));
    if (body !== '') stream.push(body);
  }
  stream.push(null);
  const { method, socket, httpVersion, httpVersionMajor, httpVersionMinor } = request;
  const parts = { method, url, headers, socket, httpVersion, httpVersionMajor, httpVersionMinor };
  return Object.assign(stream, parts) as unknown as IncomingMessage;
}

/** Merges a user's grants by client application: all scopes, the earliest `since`. @param grants newest first */
function mergeGrantsByClient(grants: readonly UserGrant[]): UserGrant[] {
  const clients = new Map<string, UserGrant>();
  for (const grant of grants) {
    const newer = clients.get(grant.clientId);
    const scopes = [...new Set([...(newer?.scopes ?? []), ...grant.scopes])];
    clients.set(grant.clientId, { ...(newer ?? grant), scopes, since: grant.since });
  }
  return [...clients.values()];
}

/** The static method of oidc-provider's model that checks `id_token_hint`: signature, issuer and audience. */
interface IdTokenValidator {
  validate: (idToken: string, client: Client) => Promise<unknown>;
}

function readAudience(idToken: string): string | undefined {
  try {
    const { aud } = decodeJwt(idToken);
    return typeof aud === 'string' ? aud : undefined;
  } catch (error) {
    if (error instanceof errors.JWTInvalid) return undefined;
    throw error;
  }
}

const redirectUriRemoved = () =>
  badRequest(
    'authorization_request_invalid',
    'The application no longer uses the address to which this request returns. Go back to the application and start again.',
  );

/** The interface of oidc-provider for the rest of this service. Methods throw AppError 503 without keys or database. */
@Injectable()
export class OidcService {
  private readonly forwarded: ForwardedHeaders;

  constructor(
    private readonly providers: ProviderCache,
    private readonly urls: PublicUrlsConfig,
    private readonly grants: GrantService,
    private readonly consents: ConsentService,
    private readonly models: OAuthModelQueries,
  ) {
    this.forwarded = createForwardedHeaders(urls.authUrl);
  }

  /** Lets oidc-provider handle a request. */
  async handleRequest(request: Request, response: Response, target: ProviderTarget): Promise<void> {
    await this.providers.current.handleRequest(
      createProviderRequest(request, target, this.forwarded),
      response,
    );
  }

  /** Handles a request of a browser; redirects browsers at the API host to the login host, which owns the cookies. */
  async handleBrowserRequest(request: Request, response: Response, target: ProviderTarget): Promise<void> {
    const redirectUrl = findLoginHostRedirect(request, this.urls);
    if (redirectUrl === undefined) await this.handleRequest(request, response, target);
    else response.setHeader('Cache-Control', 'no-store').redirect(303, redirectUrl);
  }

  /**
   * Loads the authorization request that this browser has started.
   * @throws errors.SessionNotFound of oidc-provider for a request that is finished, expired or of another browser; AppError 400
   *   when the application has removed the request's redirect URI since
   */
  async loadInteraction(request: IncomingMessage, response: ServerResponse): Promise<Interaction> {
    const { provider } = this.providers.current;
    const interaction = await provider.interactionDetails(request, response);
    const { client_id: clientId, redirect_uri: redirectUri } = interaction.params;
    const client = typeof clientId === 'string' ? await provider.Client.find(clientId) : undefined;
    if (typeof redirectUri !== 'string' || !client?.redirectUriAllowed(redirectUri))
      throw redirectUriRemoved();
    return interaction;
  }

  /** Stores the result of a login or consent page. @returns the URL at which the browser resumes the request */
  async finishInteraction(
    request: IncomingMessage,
    response: ServerResponse,
    result: InteractionResults,
  ): Promise<string> {
    const interaction = await this.loadInteraction(request, response);
    // A login discards earlier results: they may belong to another user.
    const replacesEarlier = 'error' in result || result.login !== undefined;
    interaction.result = replacesEarlier ? result : { ...interaction.lastSubmission, ...result };
    await interaction.persist();
    if (result.login) await this.signOutOtherUser(result.login.accountId, request, response);
    return `${this.urls.authUrl}${OAUTH_PATHS.authorization}/${interaction.uid}`;
  }

  /** Stores a consent and revokes wider grants. @returns the grant's id, for `{ consent: { grantId } }` */
  recordConsent(userId: string, clientId: string, decision: ConsentDecision): Promise<string> {
    return this.consents.record({ userId, clientId }, decision);
  }

  /** The client application of an id token of this service, an expired one too; undefined if its signature is not valid. */
  async findClientOfIdToken(idToken: string): Promise<string | undefined> {
    const { provider } = this.providers.current;
    const clientId = readAudience(idToken);
    const client = clientId === undefined ? undefined : await provider.Client.find(clientId);
    if (!client) return undefined;
    const validator = provider.IdToken as unknown as IdTokenValidator;
    // A hint that is wrong in any way names no client. Nothing is read from a database here.
    const isValid = await validator.validate(idToken, client).then(
      () => true,
      () => false,
    );
    return isValid ? clientId : undefined;
  }

  /** Signs this browser out of oidc-provider: the next authorization request requires a login. */
  async endSession(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const session = await this.loadSession(request, response);
    if (session.accountId !== undefined) await session.destroy();
  }

  /**
   * Removes any other user from this browser's oidc-provider session. The session stays, without an account; authorization
   * requests of the former user in other tabs must start again.
   */
  async signOutOtherUser(userId: string, request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { accountId, uid } = await this.loadSession(request, response);
    if (accountId !== undefined && accountId !== userId) await this.models.clearSessionAccount(uid);
  }

  /** The user's grants, one per client application, newest first. */
  async listGrants(userId: string): Promise<UserGrant[]> {
    return mergeGrantsByClient(await this.grants.list(userId));
  }

  /**
   * Revokes all grants of the user to a client application, with its codes and tokens. Gateways learn of it within seconds.
   */
  revokeConsent(userId: string, clientId: string): Promise<void> {
    return this.consents.revoke({ userId, clientId });
  }

  /** Reads the stored session, because the copy in an interaction may be outdated. */
  private loadSession(request: IncomingMessage, response: ServerResponse) {
    const { provider } = this.providers.current;
    return provider.Session.get(provider.createContext(request, response));
  }
}
