import { ChainConfig } from '@app/chain/evm';
import { Module } from '@nestjs/common';
import { AccountKitChainsConfig } from './chains/account-kit-chains.config.js';
import { EvmClientService } from './nodes/evm-client.service.js';

@Module({
  providers: [AccountKitChainsConfig, ChainConfig, EvmClientService],
  exports: [AccountKitChainsConfig, EvmClientService],
})
export class EvmModule {}
