import { Database } from '@app/database';
import { ServiceContext } from '@app/service';
import { Module } from '@nestjs/common';
import { TokenConfig } from '../token.config.js';
import { createTokenKeyStore } from './key-material.js';
import { TokenKeysController } from './token-keys.controller.js';
import { TokenKeysService } from './token-keys.service.js';

@Module({
  controllers: [TokenKeysController],
  providers: [
    TokenConfig,
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
  exports: [TokenConfig, TokenKeysService],
})
export class TokenKeysModule {}
