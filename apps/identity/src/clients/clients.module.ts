import { Module } from '@nestjs/common';
import { AnalyticsClient } from './analytics-client.js';
import { AnalyticsClientConfig } from './analytics-client.config.js';
import { GatewayClient } from './gateway-client.js';
import { GatewayClientConfig } from './gateway-client.config.js';
import { TokenGatingClient } from './token-gating-client.js';
import { TokenGatingClientConfig } from './token-gating-client.config.js';

@Module({
  providers: [
    AnalyticsClientConfig,
    AnalyticsClient,
    GatewayClientConfig,
    GatewayClient,
    TokenGatingClientConfig,
    TokenGatingClient,
  ],
  exports: [AnalyticsClient, GatewayClient, TokenGatingClient],
})
export class ClientsModule {}
