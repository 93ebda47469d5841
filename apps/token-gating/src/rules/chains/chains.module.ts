import { ChainConfig } from '@app/chain/evm';
import { Module } from '@nestjs/common';
import { ConcurrentReadsConfig } from './concurrent-reads.config.js';
import { EvmChainService } from './evm-chain.service.js';

@Module({
  providers: [ChainConfig, ConcurrentReadsConfig, EvmChainService],
  exports: [ChainConfig, EvmChainService],
})
export class ChainsModule {}
