import { Module } from '@nestjs/common';
import { APP_GUARD, APP_PIPE } from '@nestjs/core';
import { PrincipalGuard } from '@app/auth';
import { createConfigClass, fieldAliasesConfigSchema } from '@app/config';
import { BodyParserGuard } from './http/body-parser.guard.js';
import { createValidationPipe } from './http/validation.pipe.js';
import { PrincipalVerifierModule } from './principal-verifier.module.js';

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
