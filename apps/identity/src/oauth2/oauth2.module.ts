import { Module } from '@nestjs/common';
import { CredentialsModule } from '../credentials/credentials.module.js';
import { PublicUrlsConfig } from '../public-urls.config.js';
import { RevocationsModule } from '../revocations/revocations.module.js';
import { TokenKeyConfig } from '../token-keys/token-key.config.js';
import { TokenKeysModule } from '../token-keys/token-keys.module.js';
import { UsersModule } from '../users/users.module.js';
import { AuthorizationController } from './authorization.controller.js';
import { OAuth2Controller } from './oauth2.controller.js';
import { Oidc } from './oidc.js';
import { AccessTokens } from './provider/access-tokens.js';
import { ProviderSource } from './provider/provider-source.js';
import { Adapters } from './storage/adapters.js';
import { ClientAdapter } from './storage/client-adapter.js';
import { ExpiredModels } from './storage/expired-models.js';
import { Grants } from './storage/grants.js';
import { ModelStore } from './storage/model-store.js';
import { UserInfo } from './userinfo.js';

@Module({
  imports: [CredentialsModule, RevocationsModule, TokenKeysModule, UsersModule],
  controllers: [OAuth2Controller, AuthorizationController],
  providers: [
    PublicUrlsConfig,
    TokenKeyConfig,
    AccessTokens,
    ModelStore,
    Grants,
    ClientAdapter,
    Adapters,
    ExpiredModels,
    ProviderSource,
    Oidc,
    UserInfo,
  ],
  exports: [Oidc],
})
export class OAuth2Module {}
