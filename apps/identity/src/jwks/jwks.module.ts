import { ServiceContext } from '@app/service';
import { Module } from '@nestjs/common';
import { TokenGatingClient } from '../token-gating/token-gating-client.js';
import { TokenGatingModule } from '../token-gating/token-gating.module.js';
import { TokenKeysModule } from '../token-keys/token-keys.module.js';
import { CallbackKeys } from './callback-keys.js';
import { JwksController } from './jwks.controller.js';

@Module({
  imports: [TokenGatingModule, TokenKeysModule],
  controllers: [JwksController],
  providers: [
    {
      provide: CallbackKeys,
      inject: [TokenGatingClient, ServiceContext],
      useFactory: (tokenGating: TokenGatingClient, { logger }: ServiceContext) =>
        new CallbackKeys(tokenGating, logger),
    },
  ],
})
export class JwksModule {}
