import { Module } from '@nestjs/common';
import { Revocations } from './revocations.js';
import { RevokedTokensController } from './revoked-tokens.controller.js';

@Module({
  controllers: [RevokedTokensController],
  providers: [Revocations],
  exports: [Revocations],
})
export class RevocationsModule {}
