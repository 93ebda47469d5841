import { Module } from '@nestjs/common';
import { APP_GUARD, APP_PIPE } from '@nestjs/core';
import { PrincipalGuard } from '@app/auth';
import { BodyParserGuard } from './http/body-parser.guard.js';
import { createValidationPipe } from './http/validation.pipe.js';
import { PrincipalVerifierModule } from './principal-verifier.module.js';

/** For every app behind the gateway: authenticates the principal, then parses and validates the request. */
@Module({
  imports: [PrincipalVerifierModule],
  providers: [
    { provide: APP_GUARD, useClass: PrincipalGuard },
    { provide: APP_GUARD, useClass: BodyParserGuard },
    { provide: APP_PIPE, useFactory: createValidationPipe },
  ],
})
export class UpstreamServiceModule {}
