import { ServiceContext } from '@app/service';
import { Module } from '@nestjs/common';
import { TokenGatingClient } from '../../clients/token-gating-client.js';
import { ClientsModule } from '../../clients/clients.module.js';
import { TokenKeysModule } from './token-keys.module.js';
import { TokenGatingKeyCache } from './token-gating-key-cache.js';
import { JwksController } from './jwks.controller.js';

@Module({
  imports: [ClientsModule, TokenKeysModule],
  controllers: [JwksController],
  providers: [
    {
      provide: TokenGatingKeyCache,
      inject: [TokenGatingClient, ServiceContext],
      useFactory: (tokenGating: TokenGatingClient, { logger }: ServiceContext) =>
        new TokenGatingKeyCache(tokenGating, logger),
    },
  ],
})
export class JwksModule {}
