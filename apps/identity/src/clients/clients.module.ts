import { Module } from '@nestjs/common';
import { TokenGatingClient } from './token-gating-client.js';
import { TokenGatingClientConfig } from './token-gating-client.config.js';

@Module({ providers: [TokenGatingClientConfig, TokenGatingClient], exports: [TokenGatingClient] })
export class TokenGatingClientModule {}
