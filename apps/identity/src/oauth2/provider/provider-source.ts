import type { IncomingMessage, ServerResponse } from 'node:http';
import { ServiceContext } from '@app/service';
import { Injectable } from '@nestjs/common';
import type { Adapter, Provider } from 'oidc-provider';
import { CredentialHasher } from '../../credentials/credential-hasher.js';
import { BrowserUser } from '../../browser-sessions/browser-user.js';
import { PublicUrlsConfig } from '../../public-urls.config.js';
import { RevocationQuota } from '../../revocations/revocation-quota.js';
import { TokenKeyConfig } from '../../token-keys/token-key.config.js';
import { TokenKeys } from '../../token-keys/token-keys.js';
import { Adapters } from '../storage/adapters.js';
import { Decisions } from '../storage/decisions.js';
import { AccessTokens } from './access-tokens.js';
import { ClientShares } from './client-shares.js';
import { createProvider } from './create-provider.js';

export interface RunningProvider {
  readonly provider: Provider;
  readonly answer: (request: IncomingMessage, response: ServerResponse) => Promise<void>;
}

/** oidc-provider with the keys of the day. When id tokens get new keys a new one takes its place; what is under way goes on. */
@Injectable()
export class ProviderSource {
  private kids = '';
  private running: RunningProvider | undefined;

  constructor(
    private readonly keys: TokenKeys,
    private readonly urls: PublicUrlsConfig,
    private readonly keyConfig: TokenKeyConfig,
    private readonly adapters: Adapters,
    private readonly decisions: Decisions,
    private readonly accessTokens: AccessTokens,
    private readonly revocationQuota: RevocationQuota,
    private readonly hasher: CredentialHasher,
    private readonly shares: ClientShares,
    private readonly browserUser: BrowserUser,
    private readonly context: ServiceContext,
  ) {}

  /** @throws AppError 503 before there are keys */
  get current(): RunningProvider {
    const idTokenKeys = [this.keys.signing('id-rs256'), this.keys.signing('id-es256')];
    const kids = idTokenKeys.map(({ kid }) => kid).join(' ');
    if (this.running && kids === this.kids) return this.running;
    const provider = createProvider({
      issuer: this.urls.PUBLIC_URL,
      isHttps: this.urls.authUrl.startsWith('https:'),
      cookieSecret: this.keyConfig.TOKEN_KEY_SECRET,
      tokenLifetimeSeconds: this.keyConfig.ACCESS_TOKEN_LIFETIME_SECONDS,
      idTokenKeys,
      adapter: (kind: string): Adapter => this.adapters.of(kind),
      decisions: this.decisions,
      accessTokens: this.accessTokens,
      revocationQuota: this.revocationQuota,
      hasher: this.hasher,
      shares: this.shares,
      userOf: (request) => this.browserUser.of(request),
      logger: this.context.logger,
    });
    this.kids = kids;
    this.running = { provider, answer: provider.callback() };
    return this.running;
  }
}
