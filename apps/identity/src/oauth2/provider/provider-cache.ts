import type { IncomingMessage, ServerResponse } from 'node:http';
import { ServiceContext } from '@app/service';
import { Injectable } from '@nestjs/common';
import type { Adapter, Provider } from 'oidc-provider';
import { CredentialHasher } from '../../applications/credentials/credential-issuer.js';
import { BrowserUserService } from '../../browser-sessions/browser-user.service.js';
import { PublicUrlsConfig } from '../../common/identity.config.js';
import { RevocationQuotaService } from '../../tokens/revocations/revocation-quota.service.js';
import { TokenConfig } from '../../tokens/token.config.js';
import { TokenKeysService } from '../../tokens/keys/token-keys.service.js';
import { AdapterFactory } from '../adapters/adapter-factory.js';
import { ConsentService } from '../storage/consent.service.js';
import { AccessTokenService } from '../tokens/access-token.service.js';
import { ClientRateLimiter } from '../clients/client-rate-limiter.js';
import { UserInfoService } from '../user-info.controller.js';
import { createProvider } from './create-provider.js';

interface ProviderInstance {
  readonly provider: Provider;
  readonly handleRequest: (request: IncomingMessage, response: ServerResponse) => Promise<void>;
}

/** Creates oidc-provider anew when the signing keys of id tokens rotate. Requests in progress keep the old instance. */
@Injectable()
export class ProviderCache {
  private kids = '';
  private instance: ProviderInstance | undefined;

  constructor(
    private readonly keys: TokenKeysService,
    private readonly urls: PublicUrlsConfig,
    private readonly keyConfig: TokenConfig,
    private readonly adapters: AdapterFactory,
    private readonly consents: ConsentService,
    private readonly accessTokens: AccessTokenService,
    private readonly revocationQuota: RevocationQuotaService,
    private readonly hasher: CredentialHasher,
    private readonly rateLimiter: ClientRateLimiter,
    private readonly browserUser: BrowserUserService,
    private readonly userInfo: UserInfoService,
    private readonly context: ServiceContext,
  ) {}

  /** @throws AppError 503 until the signing keys are loaded */
  get current(): ProviderInstance {
    const idTokenKeys = [this.keys.getSigningKey('id-rs256'), this.keys.getSigningKey('id-es256')];
    const kids = idTokenKeys.map(({ kid }) => kid).join(' ');
    if (this.instance && kids === this.kids) return this.instance;
    const provider = createProvider({
      issuer: this.urls.PUBLIC_URL,
      isHttps: this.urls.authUrl.startsWith('https:'),
      cookieSecret: this.keyConfig.TOKEN_KEY_SECRET,
      tokenLifetimeSeconds: this.keyConfig.ACCESS_TOKEN_LIFETIME_SECONDS,
      idTokenKeys,
      adapter: (kind: string): Adapter => this.adapters.create(kind),
      consents: this.consents,
      accessTokens: this.accessTokens,
      revocationQuota: this.revocationQuota,
      hasher: this.hasher,
      rateLimiter: this.rateLimiter,
      findBrowserUser: (request) => this.browserUser.findUser(request),
      loadClaims: (...request) => this.userInfo.loadClaims(...request),
      logger: this.context.logger,
    });
    this.kids = kids;
    this.instance = { provider, handleRequest: provider.callback() };
    return this.instance;
  }
}
