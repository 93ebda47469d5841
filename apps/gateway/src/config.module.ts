import { Global, Module } from '@nestjs/common';
import { PrincipalIssuer } from '@app/auth';
import { GatewayConfig } from './gateway.config.js';

/** What every part of the gateway needs: its configuration, and the key it speaks for callers with. */
@Global()
@Module({
  providers: [
    GatewayConfig,
    {
      provide: PrincipalIssuer,
      inject: [GatewayConfig],
      useFactory: ({ INTERNAL_SIGNING_KEY }: GatewayConfig) => new PrincipalIssuer(INTERNAL_SIGNING_KEY),
    },
  ],
  exports: [GatewayConfig, PrincipalIssuer],
})
export class ConfigModule {}
