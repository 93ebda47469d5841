import { Module } from '@nestjs/common';
import { TokenGatingClient } from './token-gating-client.js';
import { TokenGatingConfig } from './token-gating.config.js';

@Module({ providers: [TokenGatingConfig, TokenGatingClient], exports: [TokenGatingClient] })
export class TokenGatingModule {}
