import { Database } from '@app/database';
import { ServiceContext } from '@app/service';
import { Module } from '@nestjs/common';
import { TokenKeyConfig } from './token-key.config.js';
import { createTokenKeyStore } from './token-key-store.js';
import { TokenKeysController } from './token-keys.controller.js';
import { TokenKeysService } from './token-keys.service.js';

@Module({
  controllers: [TokenKeysController],
  providers: [
    TokenKeyConfig,
    {
      provide: TokenKeysService,
      inject: [TokenKeyConfig, Database, ServiceContext],
      useFactory: (config: TokenKeyConfig, database: Database, { logger, readiness }: ServiceContext) => {
        const keys = new TokenKeysService(createTokenKeyStore(database, config), logger);
        readiness.addCheck('token-keys', () => {
          keys.checkLoaded();
        });
        return keys;
      },
    },
  ],
  exports: [TokenKeyConfig, TokenKeysService],
})
export class TokenKeysModule {}
