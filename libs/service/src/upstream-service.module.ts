import { Module } from '@nestjs/common';
import { APP_GUARD, APP_PIPE } from '@nestjs/core';
import { PrincipalGuard, PrincipalVerifier, verifierConfigSchema } from '@app/auth';
import { configClass } from '@app/config';
import { ReadBodyGuard } from './http/read-body.guard.js';
import { createValidationPipe } from './http/validation.pipe.js';
import { ServiceContext } from './service-context.js';

class VerifierConfig extends configClass(verifierConfigSchema) {}

/** What every app behind the gateway does with a request: whom to believe, how to read it, how to answer. */
@Module({
  providers: [
    VerifierConfig,
    {
      provide: PrincipalVerifier,
      inject: [VerifierConfig, ServiceContext],
      useFactory: (config: VerifierConfig, { name }: ServiceContext) =>
        new PrincipalVerifier(config.INTERNAL_KEYS, name),
    },
    { provide: APP_GUARD, useClass: PrincipalGuard },
    { provide: APP_GUARD, useClass: ReadBodyGuard },
    { provide: APP_PIPE, useFactory: createValidationPipe },
  ],
})
export class UpstreamServiceModule {}
