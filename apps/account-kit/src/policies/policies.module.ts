import { Module } from '@nestjs/common';
import { EvmModule } from '../evm/evm.module.js';
import { KeyVaultModule } from '../key-vault/key-vault.module.js';
import { PoliciesConfig } from './policies.config.js';
import { PoliciesService } from './policies.service.js';

@Module({
  imports: [EvmModule, KeyVaultModule],
  providers: [PoliciesConfig, PoliciesService],
  exports: [PoliciesService],
})
export class PoliciesModule {}
