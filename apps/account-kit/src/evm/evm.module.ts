import { ChainConfig } from '@app/chain/evm';
import { Module } from '@nestjs/common';
import { KeyVaultModule } from '../key-vault/key-vault.module.js';
import { AccountKitChainsConfig } from './chains/account-kit-chains.config.js';
import { EvmClientService } from './nodes/evm-client.service.js';

@Module({
  imports: [KeyVaultModule],
  providers: [AccountKitChainsConfig, ChainConfig, EvmClientService],
  exports: [AccountKitChainsConfig, EvmClientService],
})
export class EvmModule {}
