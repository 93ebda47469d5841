import { Module } from '@nestjs/common';
import { APP_GUARD, APP_PIPE } from '@nestjs/core';
import { PrincipalGuard } from '@app/auth';
import { BodyParserGuard } from './http/body-parser.guard.js';
import { createValidationPipe } from './http/validation.pipe.js';
import { PrincipalVerifierModule } from './principal-verifier.module.js';

/** What every app behind the gateway does with a request: whom to believe, how to read it, how to answer. */
@Module({
  imports: [PrincipalVerifierModule],
  providers: [
    { provide: APP_GUARD, useClass: PrincipalGuard },
    { provide: APP_GUARD, useClass: BodyParserGuard },
    { provide: APP_PIPE, useFactory: createValidationPipe },
  ],
})
export class UpstreamServiceModule {}
