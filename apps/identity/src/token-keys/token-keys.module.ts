import { Database } from '@app/database';
import { ServiceContext } from '@app/service';
import { Module } from '@nestjs/common';
import { TokenKeyConfig } from './token-key.config.js';
import { TokenKeyStore } from './token-key-store.js';
import { tokenKeyPolicy } from './token-key-use.js';
import { TokenKeysController } from './token-keys.controller.js';
import { TokenKeys } from './token-keys.js';

@Module({
  controllers: [TokenKeysController],
  providers: [
    TokenKeyConfig,
    {
      provide: TokenKeys,
      inject: [TokenKeyConfig, Database, ServiceContext],
      useFactory: (config: TokenKeyConfig, database: Database, { logger, readiness }: ServiceContext) => {
        const store = new TokenKeyStore(database, config.TOKEN_KEY_SECRET, (use) =>
          tokenKeyPolicy(use, config),
        );
        const keys = new TokenKeys(store, logger);
        readiness.require('token-keys', () => {
          keys.check();
        });
        return keys;
      },
    },
  ],
  exports: [TokenKeyConfig, TokenKeys],
})
export class TokenKeysModule {}
