import { Module } from '@nestjs/common';
import { ChainConfig } from './chain-config.js';
import { EvmChains } from './evm-chains.js';

@Module({ providers: [ChainConfig, EvmChains], exports: [EvmChains] })
export class ChainsModule {}
