import { ServiceContext } from '@app/service';
import { Module } from '@nestjs/common';
import { TokenKeysModule } from '../token-keys/token-keys.module.js';
import { CallbackKeys } from './callback-keys.js';
import { JwksConfig } from './jwks.config.js';
import { JwksController } from './jwks.controller.js';
import { TokenGatingClient } from './token-gating-client.js';

@Module({
  imports: [TokenKeysModule],
  controllers: [JwksController],
  providers: [
    JwksConfig,
    TokenGatingClient,
    {
      provide: CallbackKeys,
      inject: [TokenGatingClient, ServiceContext],
      useFactory: (tokenGating: TokenGatingClient, { logger }: ServiceContext) =>
        new CallbackKeys(tokenGating, logger),
    },
  ],
})
export class JwksModule {}
