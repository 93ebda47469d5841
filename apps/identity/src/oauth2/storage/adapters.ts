import { Injectable } from '@nestjs/common';
import type { Adapter } from 'oidc-provider';
import { WalletTokens } from '../../ethereum-login/wallet-tokens.js';
import { Revocations } from '../../revocations/revocations.js';
import { TokenKeyConfig } from '../../token-keys/token-key.config.js';
import { AccessTokens } from '../provider/access-tokens.js';
import { AccessTokenAdapter } from './access-token-adapter.js';
import { ApplicationTokenAdapter } from './application-token-adapter.js';
import { ClientAdapter } from './client-adapter.js';
import { Grants } from './grants.js';
import { IssuedAdapter } from './issued-adapter.js';
import { ModelAdapter } from './model-adapter.js';
import { ModelStore } from './model-store.js';
import { SessionAdapter } from './session-adapter.js';

/** Where each of oidc-provider's models is kept. */
@Injectable()
export class Adapters {
  constructor(
    private readonly revocations: Revocations,
    private readonly store: ModelStore,
    private readonly grants: Grants,
    private readonly clients: ClientAdapter,
    private readonly tokens: AccessTokens,
    private readonly walletTokens: WalletTokens,
    private readonly config: TokenKeyConfig,
  ) {}

  of(kind: string): Adapter {
    switch (kind) {
      case 'Client':
        // Nobody registers clients through oidc-provider: it only looks them up.
        return this.clients as Pick<Adapter, 'find'> as Adapter;
      case 'AccessToken':
        return new AccessTokenAdapter(this.store, this.grants, this.tokens, this.walletTokens);
      case 'ClientCredentials':
        return new ApplicationTokenAdapter(
          this.revocations,
          this.grants,
          this.tokens,
          this.config.ACCESS_TOKEN_LIFETIME_SECONDS,
        ) as Partial<Adapter> as Adapter;
      case 'AuthorizationCode':
      case 'RefreshToken':
        return new IssuedAdapter(kind, this.store, this.grants);
      case 'Session':
        return new SessionAdapter(kind, this.store, this.grants);
      case 'Grant':
      case 'Interaction':
        return new ModelAdapter(kind, this.store, this.grants);
      default:
        throw new Error(`${kind} belongs to a part of oidc-provider that is switched off`);
    }
  }
}
