import { Module } from '@nestjs/common';
import { ClientPlans } from './client-plans.js';
import { ContractSignatures } from './contract-signatures.js';
import { CredentialStore } from './credential-store.js';
import { IdentityClient } from './identity-client.js';
import { RevocationFeed } from './revocation-feed.js';
import { RevokedTokens } from './revoked-tokens.js';
import { TokenKeyRing } from './token-key-ring.js';
import { VerifiedTokens } from './verified-tokens.js';

@Module({
  providers: [
    IdentityClient,
    RevocationFeed,
    CredentialStore,
    ClientPlans,
    ContractSignatures,
    RevokedTokens,
    TokenKeyRing,
    VerifiedTokens,
  ],
  exports: [CredentialStore, ClientPlans, ContractSignatures, TokenKeyRing, VerifiedTokens],
})
export class CredentialsModule {}
