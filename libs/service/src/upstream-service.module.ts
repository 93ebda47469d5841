import { Module } from '@nestjs/common';
import { PrincipalVerifier, principalVerifierConfigSchema } from '@app/auth';
import { createConfigClass, fieldAliasesConfigSchema } from '@app/config';
import { ServiceContext } from './service-context.js';
import { APP_GUARD, APP_PIPE } from '@nestjs/core';
import { UPSTREAM_GUARDS } from './http/direct-route.js';
import { BodyValidator, createValidationPipe } from './http/validation.pipe.js';

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

class FieldAliasesConfig extends createConfigClass(fieldAliasesConfigSchema) {}

/** The module of every app behind the gateway: authenticates the principal, then parses and validates the request. */
@Module({
  imports: [PrincipalVerifierModule],
  providers: [
    // Under their own names too, because direct routes call them in this order as well (direct-route.ts).
    ...UPSTREAM_GUARDS,
    ...UPSTREAM_GUARDS.map((guard) => ({ provide: APP_GUARD, useExisting: guard })),
    FieldAliasesConfig,
    {
      provide: BodyValidator,
      inject: [FieldAliasesConfig],
      useFactory: ({ GATEWAY_ALIASES }: FieldAliasesConfig) =>
        new BodyValidator(GATEWAY_ALIASES?.queryValues),
    },
    { provide: APP_PIPE, inject: [BodyValidator], useFactory: createValidationPipe },
  ],
})
export class UpstreamServiceModule {}
