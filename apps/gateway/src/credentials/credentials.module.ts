import { Module } from '@nestjs/common';
import { CredentialStore } from './credential-store.js';
import { IdentityClient } from './identity-client.js';
import { RevocationFeed } from './revocation-feed.js';

@Module({ providers: [IdentityClient, RevocationFeed, CredentialStore], exports: [CredentialStore] })
export class CredentialsModule {}
