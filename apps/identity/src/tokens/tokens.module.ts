import { Database } from '@app/database';
import { ServiceContext } from '@app/service';
import { Module } from '@nestjs/common';
import { ClientsModule } from '../clients/clients.module.js';
import { TokenGatingClient } from '../clients/token-gating-client.js';
import { IdentityConfig } from '../common/identity.config.js';
import {
  CredentialChangesController,
  CredentialChangesService,
} from './change-feed/credential-changes.controller.js';
import {
  createChangePublisher,
  CredentialTransactionService,
} from './change-feed/credential-transaction.service.js';
import { JwksController, TokenKeysController } from './keys/jwks.controller.js';
import { createTokenKeyStore } from './keys/key-material.js';
import { TokenGatingKeyCache } from './keys/token-gating-key-cache.js';
import { TokenKeysService } from './keys/token-keys.service.js';
import { RevocationQuotaService } from './revocations/revocation-quota.service.js';
import { RevocationsService } from './revocations/revocations.service.js';
import { RevokedTokensController } from './revocations/revoked-tokens.controller.js';
import { TokenConfig } from './token.config.js';

@Module({
  imports: [ClientsModule],
  controllers: [CredentialChangesController, JwksController, RevokedTokensController, TokenKeysController],
  providers: [
    CredentialChangesService,
    {
      provide: CredentialTransactionService,
      inject: [Database, IdentityConfig, ServiceContext],
      useFactory: (database: Database, { REDIS_URL }: IdentityConfig, { logger }: ServiceContext) =>
        new CredentialTransactionService(database, createChangePublisher(REDIS_URL, logger)),
    },
    RevocationQuotaService,
    RevocationsService,
    TokenConfig,
    {
      provide: TokenGatingKeyCache,
      inject: [TokenGatingClient, ServiceContext],
      useFactory: (tokenGating: TokenGatingClient, { logger }: ServiceContext) =>
        new TokenGatingKeyCache(tokenGating, logger),
    },
    {
      provide: TokenKeysService,
      inject: [TokenConfig, Database, ServiceContext],
      useFactory: (config: TokenConfig, database: Database, { logger, readiness }: ServiceContext) => {
        const keys = new TokenKeysService(createTokenKeyStore(database, config), logger);
        readiness.addCheck('token-keys', () => {
          keys.checkLoaded();
        });
        return keys;
      },
    },
  ],
  exports: [
    CredentialTransactionService,
    RevocationQuotaService,
    RevocationsService,
    TokenConfig,
    TokenKeysService,
  ],
})
export class TokensModule {}
