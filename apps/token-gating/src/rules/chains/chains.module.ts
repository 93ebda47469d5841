import { ChainConfig } from '@app/chain/evm';
import { Module } from '@nestjs/common';
import { EvmChainService } from './evm-chain.service.js';

@Module({ providers: [ChainConfig, EvmChainService], exports: [ChainConfig, EvmChainService] })
export class ChainsModule {}
