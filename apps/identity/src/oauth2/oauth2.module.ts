import { Module } from '@nestjs/common';
import { ClientsModule } from '../clients/clients.module.js';
import { EthereumLoginModule } from '../ethereum-login/ethereum-login.module.js';
import { BrowserSessionsModule } from '../browser-sessions/browser-sessions.module.js';
import { PublicUrlsConfig } from '../common/identity.config.js';
import { AuthorizationController } from './authorization.controller.js';
import { OAuthLogoutController } from './logout.controller.js';
import { OAuthMetadataController, OAuth2Controller } from './oauth2.controller.js';
import { OidcService } from './oidc.service.js';
import { AccessTokenService } from './tokens/access-token.service.js';
import { ClientRateLimiter } from './clients/client-rate-limiter.js';
import { ProviderCache } from './provider/provider-cache.js';
import { AdapterFactory } from './adapters/adapter-factory.js';
import { ClientAdapter } from './adapters/client-adapter.js';
import { ConsentService } from './storage/consent.service.js';
import { ExpiredModelSweeper, GrantService } from './storage/grant.service.js';
import { OAuthModelQueries } from './storage/oauth-models.queries.js';
import { UserInfoController, UserInfoService } from './user-info.controller.js';
import { ApplicationsModule } from '../applications/applications.module.js';
import { TokensModule } from '../tokens/tokens.module.js';
import { UsersModule } from '../users/users.module.js';

@Module({
  imports: [
    TokensModule,
    ClientsModule,
    ApplicationsModule,
    EthereumLoginModule,
    BrowserSessionsModule,
    UsersModule,
  ],
  controllers: [
    OAuth2Controller,
    OAuthMetadataController,
    AuthorizationController,
    OAuthLogoutController,
    UserInfoController,
  ],
  providers: [
    PublicUrlsConfig,
    AccessTokenService,
    OAuthModelQueries,
    GrantService,
    ConsentService,
    ClientAdapter,
    AdapterFactory,
    ExpiredModelSweeper,
    ClientRateLimiter,
    ProviderCache,
    OidcService,
    UserInfoService,
  ],
  exports: [OidcService],
})
export class OAuth2Module {}
