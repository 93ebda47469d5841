import { Module } from '@nestjs/common';
import { GatewayClient } from './gateway-client.js';
import { GatewayClientConfig } from './gateway-client.config.js';
import { TokenGatingClient } from './token-gating-client.js';
import { TokenGatingClientConfig } from './token-gating-client.config.js';

@Module({
  providers: [GatewayClientConfig, GatewayClient, TokenGatingClientConfig, TokenGatingClient],
  exports: [GatewayClient, TokenGatingClient],
})
export class ClientsModule {}
