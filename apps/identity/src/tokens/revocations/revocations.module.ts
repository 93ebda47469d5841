import { Module } from '@nestjs/common';
import { RevocationQuotaService } from './revocation-quota.service.js';
import { RevocationsService } from './revocations.service.js';
import { RevokedTokensController } from './revoked-tokens.controller.js';

@Module({
  controllers: [RevokedTokensController],
  providers: [RevocationQuotaService, RevocationsService],
  exports: [RevocationQuotaService, RevocationsService],
})
export class RevocationsModule {}
