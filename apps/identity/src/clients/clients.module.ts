import { Module } from '@nestjs/common';
import { AccountKitClient, AccountKitClientConfig } from './account-kit-client.js';
import { AnalyticsClient, AnalyticsClientConfig } from './analytics-client.js';
import { GatewayClient, GatewayClientConfig } from './gateway-client.js';
import { PortalApi } from './portal-api.js';
import { PortalCommunitiesClient } from './portal-communities-client.js';
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
    PortalCommunitiesClient,
    TokenGatingClientConfig,
    TokenGatingClient,
  ],
  exports: [
    AccountKitClient,
    AnalyticsClient,
    GatewayClient,
    PortalApi,
    PortalCommunitiesClient,
    TokenGatingClient,
  ],
})
export class ClientsModule {}
