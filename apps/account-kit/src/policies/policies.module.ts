import { Module } from '@nestjs/common';
import { EvmModule } from '../evm/evm.module.js';
import { KeyVaultModule } from '../custody/key-vault.module.js';
import { AccountPoliciesService } from './account-policies.service.js';
import { PoliciesConfig } from './rules/policies.config.js';
import { PoliciesService } from './policies.service.js';

@Module({
  imports: [EvmModule, KeyVaultModule],
  providers: [PoliciesConfig, PoliciesService, AccountPoliciesService],
  exports: [PoliciesService, AccountPoliciesService],
})
export class PoliciesModule {}
