import { Module } from '@nestjs/common';
import { AccountKitClient, AccountKitClientConfig } from './account-kit-client.js';
import { AnalyticsClient, AnalyticsClientConfig } from './analytics-client.js';
import { GatewayClient, GatewayClientConfig } from './gateway-client.js';
import { PortalApi } from './portal-api.js';
import { TokenGatingClient, TokenGatingClientConfig } from './token-gating-client.js';

@Module({
  providers: [
    AccountKitClientConfig,
    AccountKitClient,
    AnalyticsClientConfig,
    AnalyticsClient,
    GatewayClientConfig,
    GatewayClient,
    PortalApi,
    TokenGatingClientConfig,
    TokenGatingClient,
  ],
  exports: [AccountKitClient, AnalyticsClient, GatewayClient, PortalApi, TokenGatingClient],
})
export class ClientsModule {}
