import { Module } from '@nestjs/common';
import { ClientPlans } from './client-plans.js';
import { CredentialStore } from './credential-store.js';
import { IdentityClient } from './identity-client.js';
import { RevocationFeed } from './revocation-feed.js';

@Module({
  providers: [IdentityClient, RevocationFeed, CredentialStore, ClientPlans],
  exports: [CredentialStore, ClientPlans],
})
export class CredentialsModule {}
