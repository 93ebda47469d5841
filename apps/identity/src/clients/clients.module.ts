import { Module } from '@nestjs/common';
import { AccountKitClient } from './account-kit-client.js';
import { AccountKitClientConfig } from './account-kit-client.config.js';
import { AnalyticsClient } from './analytics-client.js';
import { AnalyticsClientConfig } from './analytics-client.config.js';
import { GatewayClient } from './gateway-client.js';
import { GatewayClientConfig } from './gateway-client.config.js';
import { TokenGatingClient } from './token-gating-client.js';
import { TokenGatingClientConfig } from './token-gating-client.config.js';

@Module({
  providers: [
    AccountKitClientConfig,
    AccountKitClient,
    AnalyticsClientConfig,
    AnalyticsClient,
    GatewayClientConfig,
    GatewayClient,
    TokenGatingClientConfig,
    TokenGatingClient,
  ],
  exports: [AccountKitClient, AnalyticsClient, GatewayClient, TokenGatingClient],
})
export class ClientsModule {}
