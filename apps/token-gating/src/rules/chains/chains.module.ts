import { ChainConfig } from '@app/chain/evm';
import { Module } from '@nestjs/common';
import { ChainService } from './chain.service.js';

@Module({ providers: [ChainConfig, ChainService], exports: [ChainConfig, ChainService] })
export class ChainsModule {}
