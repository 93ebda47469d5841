import { Global, Module } from '@nestjs/common';
import { PrincipalIssuer } from '@app/auth';
import { GatewayConfig } from './gateway.config.js';

/** The configuration, and the issuer of principal tokens. */
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
