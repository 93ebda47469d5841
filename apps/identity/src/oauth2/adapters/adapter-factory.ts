import { Injectable } from '@nestjs/common';
import type { Adapter, AdapterPayload } from 'oidc-provider';
import { CredentialHasher } from '../../applications/credentials/credential-issuer.js';
import { WalletTokenService, type WalletToken } from '../../ethereum-login/id-tokens/wallet-token.service.js';
import { RevocationsService } from '../../tokens/revocations/revocations.service.js';
import { TokenConfig } from '../../tokens/token.config.js';
import { AccessTokenService } from '../tokens/access-token.service.js';
import { ClientAdapter } from './client-adapter.js';
import { GrantService } from '../storage/grant.service.js';
import { GrantBoundAdapter, ModelAdapter, RefreshTokenAdapter, SessionAdapter } from './model-adapter.js';
import { OAuthModelQueries, type StoredModel } from '../storage/oauth-models.queries.js';
import { unescapeJwtDots } from '../tokens/issue-jwt-access-tokens.js';

/**
 * Access tokens of the client credentials grant. They belong to no grant and are not stored: the token contains all claims,
 * and only its revocation is stored.
 */
class ClientCredentialsAdapter {
  constructor(
    private readonly revocations: RevocationsService,
    private readonly grants: GrantService,
    private readonly tokens: AccessTokenService,
    /** Lifetime of the tokens in seconds. Revocations are stored for the same time. */
    private readonly lifetimeSeconds: number,
  ) {}

  upsert(): Promise<void> {
    return Promise.resolve();
  }

  async find(token: string): Promise<AdapterPayload | undefined> {
    const claims = await this.tokens.verify(unescapeJwtDots(token));
    if (claims?.sub !== `client:${claims?.clientId ?? ''}`) return undefined;
    if (await this.revocations.isRevoked(claims.jti)) return undefined;
    const { jti, clientId, scope, iat, exp } = claims;
    return { kind: 'ClientCredentials', jti, clientId, scope, iat, exp };
  }

  async destroy(id: string): Promise<void> {
    await this.grants.revokeUnstored({ id, expiresAt: new Date(Date.now() + this.lifetimeSeconds * 1_000) });
  }
}

/**
 * Access tokens of users. They are found by the presented token, never by its id alone. Also finds AE tokens and Ethereum
 * credentials, so that oidc-provider introspects and revokes them like access tokens.
 */
class AccessTokenAdapter extends ModelAdapter {
  constructor(
    models: OAuthModelQueries,
    grants: GrantService,
    private readonly tokens: AccessTokenService,
    private readonly walletTokens: WalletTokenService,
  ) {
    super('AccessToken', models, grants);
  }

  override async upsert(id: string, payload: AdapterPayload, expiresIn: number): Promise<void> {
    if (await this.insert(this.toStoredModel(id, payload, expiresIn), payload)) return;
    // The grant has been revoked meanwhile. The response still contains the signed token, which gateways would accept.
    await this.grants.revokeUnstored({ id, expiresAt: new Date(Date.now() + expiresIn * 1_000) });
  }

  private insert(model: StoredModel, { gty, accountId: userId, clientId }: AdapterPayload): Promise<boolean> {
    if (!SIGN_IN_GRANTS.includes(gty) || userId === undefined || clientId === undefined)
      return this.models.insertUnderGrant(this.kind, model);
    return this.models.insertSignIn(model, { userId, clientId });
  }

  override async find(token: string): Promise<AdapterPayload | undefined> {
    const text = unescapeJwtDots(token);
    const claims = await this.tokens.verify(text);
    if (claims) return super.find(claims.jti);
    const walletToken = await this.walletTokens.find(text);
    return walletToken && toPayload(walletToken, token);
  }

  override async destroy(id: string): Promise<void> {
    if (await this.walletTokens.revoke(unescapeJwtDots(id))) return;
    await this.grants.revokeToken(this.kind, id);
  }
}

/** How a token is issued to a user who signs in. Refreshed ones end with `refresh_token`. */
const SIGN_IN_GRANTS: readonly unknown[] = ['authorization_code', 'implicit'];

/** The token's text serves as its id, because `destroy` needs the text to revoke it. */
function toPayload(token: WalletToken, jti: string): AdapterPayload {
  const { scheme: gty, clientId, userId: accountId, scope, issuedAt: iat, expiresAt: exp } = token;
  return { kind: 'AccessToken', jti, gty, clientId, accountId, scope, iat, exp };
}

/** Creates the storage adapter for each of oidc-provider's models. */
@Injectable()
export class AdapterFactory {
  constructor(
    private readonly revocations: RevocationsService,
    private readonly models: OAuthModelQueries,
    private readonly grants: GrantService,
    private readonly clients: ClientAdapter,
    private readonly tokens: AccessTokenService,
    private readonly walletTokens: WalletTokenService,
    private readonly hasher: CredentialHasher,
    private readonly config: TokenConfig,
  ) {}

  create(kind: string): Adapter {
    switch (kind) {
      case 'Client':
        // Clients are never registered through oidc-provider, so it needs `find` only.
        return this.clients as Pick<Adapter, 'find'> as Adapter;
      case 'AccessToken':
        return new AccessTokenAdapter(this.models, this.grants, this.tokens, this.walletTokens);
      case 'ClientCredentials':
        return new ClientCredentialsAdapter(
          this.revocations,
          this.grants,
          this.tokens,
          this.config.ACCESS_TOKEN_LIFETIME_SECONDS,
        ) as Partial<Adapter> as Adapter;
      case 'AuthorizationCode':
        return new GrantBoundAdapter(kind, this.models, this.grants);
      case 'RefreshToken':
        return new RefreshTokenAdapter(this.models, this.grants, this.hasher);
      case 'Session':
        return new SessionAdapter(kind, this.models, this.grants);
      case 'Grant':
      case 'Interaction':
        return new ModelAdapter(kind, this.models, this.grants);
      default:
        throw new Error(`${kind} belongs to a disabled feature of oidc-provider`);
    }
  }
}
