import { Module } from '@nestjs/common';
import { EvmModule } from '../evm/evm.module.js';
import { KeyVaultModule } from '../key-vault/key-vault.module.js';
import { PoliciesModule } from '../policies/policies.module.js';
import { SponsoringService } from './sponsoring.service.js';

@Module({
  imports: [EvmModule, KeyVaultModule, PoliciesModule],
  providers: [SponsoringService],
  exports: [SponsoringService],
})
export class SponsoringModule {}
