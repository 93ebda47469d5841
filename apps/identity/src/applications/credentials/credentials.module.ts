import { Module } from '@nestjs/common';
import { IdentityConfig } from '../../common/identity.config.js';
import { CredentialHasher, CredentialIssuer } from './credential-issuer.js';
import { CredentialsController } from './credentials.controller.js';

@Module({
  controllers: [CredentialsController],
  providers: [
    {
      provide: CredentialHasher,
      inject: [IdentityConfig],
      useFactory: (config: IdentityConfig) => new CredentialHasher(config.CREDENTIAL_PEPPER),
    },
    {
      provide: CredentialIssuer,
      inject: [CredentialHasher, IdentityConfig],
      useFactory: (hasher: CredentialHasher, { CREDENTIAL_ENVIRONMENT }: IdentityConfig) =>
        new CredentialIssuer(hasher, CREDENTIAL_ENVIRONMENT),
    },
  ],
  exports: [CredentialHasher, CredentialIssuer],
})
export class CredentialsModule {}
