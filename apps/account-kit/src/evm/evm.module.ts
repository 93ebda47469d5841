import { ChainConfig } from '@app/chain/evm';
import { Module } from '@nestjs/common';
import { AccountKitChainsConfig } from './account-kit-chains.config.js';
import { EvmClientService } from './nodes/evm-client.service.js';
import { PaymasterConfig } from './paymaster.config.js';

@Module({
  providers: [AccountKitChainsConfig, ChainConfig, EvmClientService, PaymasterConfig],
  exports: [AccountKitChainsConfig, ChainConfig, EvmClientService, PaymasterConfig],
})
export class EvmModule {}
