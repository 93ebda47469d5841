import { Database } from '@app/database';
import { ServiceContext } from '@app/service';
import { Module } from '@nestjs/common';
import { AssetClaimConfig } from '../asset-claim.config.js';
import { ClaimKeyRing, createClaimKeyStore } from '../claim-key-ring.js';

@Module({
  providers: [
    AssetClaimConfig,
    {
      provide: ClaimKeyRing,
      inject: [AssetClaimConfig, Database, ServiceContext],
      // The keys are no readiness check, because role checks need none of them.
      useFactory: (config: AssetClaimConfig, database: Database, { logger }: ServiceContext) =>
        new ClaimKeyRing(createClaimKeyStore(database, config), logger),
    },
  ],
  exports: [ClaimKeyRing],
})
export class ClaimKeysModule {}
