import { ChainConfig } from '@app/chain/evm';
import { Module } from '@nestjs/common';
import { ChainService } from './chain.service.js';
import { ConcurrentReadsConfig } from './concurrent-reads.config.js';

@Module({
  providers: [ChainConfig, ConcurrentReadsConfig, ChainService],
  exports: [ChainConfig, ChainService],
})
export class ChainsModule {}
