import { ServiceContext } from '@app/service';
import { Module } from '@nestjs/common';
import { TokenGatingClient } from '../../clients/token-gating-client.js';
import { ClientsModule } from '../../clients/clients.module.js';
import { TokenKeysModule } from './token-keys.module.js';
import { CallbackKeyCache } from './callback-key-cache.js';
import { JwksController } from './jwks.controller.js';

@Module({
  imports: [ClientsModule, TokenKeysModule],
  controllers: [JwksController],
  providers: [
    {
      provide: CallbackKeyCache,
      inject: [TokenGatingClient, ServiceContext],
      useFactory: (tokenGating: TokenGatingClient, { logger }: ServiceContext) =>
        new CallbackKeyCache(tokenGating, logger),
    },
  ],
})
export class JwksModule {}
