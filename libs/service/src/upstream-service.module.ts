import { Module } from '@nestjs/common';
import { PrincipalVerifier, principalVerifierConfigSchema, PrincipalGuard } from '@app/auth';
import { createConfigClass, fieldAliasesConfigSchema } from '@app/config';
import { ServiceContext } from './service-context.js';
import { APP_GUARD, APP_PIPE } from '@nestjs/core';
import { BodyParserGuard } from './http/body-parser.guard.js';
import { createValidationPipe } from './http/validation.pipe.js';

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
    { provide: APP_GUARD, useClass: PrincipalGuard },
    { provide: APP_GUARD, useClass: BodyParserGuard },
    FieldAliasesConfig,
    {
      provide: APP_PIPE,
      inject: [FieldAliasesConfig],
      useFactory: ({ GATEWAY_ALIASES }: FieldAliasesConfig) =>
        createValidationPipe(GATEWAY_ALIASES?.queryValues),
    },
  ],
})
export class UpstreamServiceModule {}
