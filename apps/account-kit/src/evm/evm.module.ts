import { ChainConfig } from '@app/chain/evm';
import { Module } from '@nestjs/common';
import { AccountKitChainsConfig } from './chains/account-kit-chains.config.js';
import { EvmClientService } from './nodes/evm-client.service.js';
import { PaymasterConfig } from './paymasters/paymaster.config.js';

@Module({
  providers: [AccountKitChainsConfig, ChainConfig, EvmClientService, PaymasterConfig],
  exports: [AccountKitChainsConfig, EvmClientService, PaymasterConfig],
})
export class EvmModule {}
