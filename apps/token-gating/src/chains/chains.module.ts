import { ChainConfig } from '@app/chain/evm';
import { Module } from '@nestjs/common';
import { EvmChains } from './evm-chains.js';

@Module({ providers: [ChainConfig, EvmChains], exports: [ChainConfig, EvmChains] })
export class ChainsModule {}
