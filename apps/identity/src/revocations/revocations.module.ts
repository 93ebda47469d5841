import { Module } from '@nestjs/common';
import { RevocationQuota } from './revocation-quota.js';
import { Revocations } from './revocations.js';
import { RevokedTokensController } from './revoked-tokens.controller.js';

@Module({
  controllers: [RevokedTokensController],
  providers: [RevocationQuota, Revocations],
  exports: [RevocationQuota, Revocations],
})
export class RevocationsModule {}
