import { Injectable } from '@nestjs/common';
import type { Adapter } from 'oidc-provider';
import { CredentialHasher } from '../../applications/credentials/credential-issuer.js';
import { WalletTokenService } from '../../ethereum-login/id-tokens/wallet-token.service.js';
import { RevocationsService } from '../../tokens/revocations/revocations.service.js';
import { TokenConfig } from '../../tokens/token.config.js';
import { AccessTokenService } from '../tokens/access-token.service.js';
import { AccessTokenAdapter, ClientCredentialsAdapter } from './access-token-adapter.js';
import { ClientAdapter } from './client-adapter.js';
import { GrantService } from '../storage/grant.service.js';
import { GrantBoundAdapter, ModelAdapter, RefreshTokenAdapter, SessionAdapter } from './model-adapter.js';
import { OAuthModelQueries } from '../storage/oauth-models.queries.js';

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
