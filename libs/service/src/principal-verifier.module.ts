import { Module } from '@nestjs/common';
import { PrincipalVerifier, principalVerifierConfigSchema } from '@app/auth';
import { createConfigClass } from '@app/config';
import { ServiceContext } from './service-context.js';

class VerifierConfig extends createConfigClass(principalVerifierConfigSchema) {}

/** Verifies principal tokens of the other apps whose audience is this app. */
@Module({
  providers: [
    VerifierConfig,
    {
      provide: PrincipalVerifier,
      inject: [VerifierConfig, ServiceContext],
      useFactory: (config: VerifierConfig, { name }: ServiceContext) =>
        new PrincipalVerifier(config.INTERNAL_KEYS, name),
    },
  ],
  exports: [PrincipalVerifier],
})
export class PrincipalVerifierModule {}
