import { Module } from '@nestjs/common';
import { IdentityConfig } from '../identity-config.js';
import { ChangeFeed } from './change-feed.js';
import { CredentialHasher } from './credential-hasher.js';
import { CredentialLookup } from './credential-lookup.js';
import { CredentialsController } from './credentials.controller.js';

@Module({
  controllers: [CredentialsController],
  providers: [
    ChangeFeed,
    CredentialLookup,
    {
      provide: CredentialHasher,
      inject: [IdentityConfig],
      useFactory: (config: IdentityConfig) => new CredentialHasher(config.CREDENTIAL_PEPPER),
    },
  ],
})
export class CredentialsModule {}
