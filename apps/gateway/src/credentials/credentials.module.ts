import { Module } from '@nestjs/common';
import { ApiKeyService } from './api-key.service.js';
import { ClientPlanService } from './client-plan.service.js';
import { ContractWalletSignatureService } from './contract-wallet-signature.service.js';
import { IdentityClient } from './identity-client.js';
import { RevocationFeedSubscriber } from './revocation-feed-subscriber.js';
import { RevokedTokenStore } from './revoked-token-store.js';
import { TokenKeyCache } from './token-key-cache.js';
import { VerifiedTokenCache } from './verified-token-cache.js';

@Module({
  providers: [
    IdentityClient,
    RevocationFeedSubscriber,
    ApiKeyService,
    ClientPlanService,
    ContractWalletSignatureService,
    RevokedTokenStore,
    TokenKeyCache,
    VerifiedTokenCache,
  ],
  exports: [
    ApiKeyService,
    ClientPlanService,
    ContractWalletSignatureService,
    TokenKeyCache,
    VerifiedTokenCache,
  ],
})
export class CredentialsModule {}
