import { Module } from '@nestjs/common';
import { CredentialsModule } from '../credentials/credentials.module.js';
import { EthereumLoginModule } from '../ethereum-login/ethereum-login.module.js';
import { SessionModule } from '../browser-sessions/session.module.js';
import { PublicUrlsConfig } from '../public-urls.config.js';
import { RevocationsModule } from '../revocations/revocations.module.js';
import { TokenKeysModule } from '../token-keys/token-keys.module.js';
import { UsersModule } from '../users/users.module.js';
import { AuthorizationController } from './authorization.controller.js';
import { OAuth2Controller } from './oauth2.controller.js';
import { Oidc } from './oidc.js';
import { AccessTokens } from './provider/access-tokens.js';
import { ClientShares } from './provider/client-shares.js';
import { ProviderSource } from './provider/provider-source.js';
import { Adapters } from './storage/adapters.js';
import { ClientAdapter } from './storage/client-adapter.js';
import { Decisions } from './storage/decisions.js';
import { ExpiredModels } from './storage/expired-models.js';
import { Grants } from './storage/grants.js';
import { ModelStore } from './storage/model-store.js';
import { UserInfoController } from './user-info.controller.js';
import { UserInfo } from './userinfo.js';

@Module({
  imports: [
    CredentialsModule,
    EthereumLoginModule,
    RevocationsModule,
    SessionModule,
    TokenKeysModule,
    UsersModule,
  ],
  controllers: [OAuth2Controller, AuthorizationController, UserInfoController],
  providers: [
    PublicUrlsConfig,
    AccessTokens,
    ModelStore,
    Grants,
    Decisions,
    ClientAdapter,
    Adapters,
    ExpiredModels,
    ClientShares,
    ProviderSource,
    Oidc,
    UserInfo,
  ],
  exports: [Oidc],
})
export class OAuth2Module {}
