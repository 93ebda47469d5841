import { Module } from '@nestjs/common';
import { PrincipalVerifierModule } from '@app/service';
import { AddressRateLimiter } from './pipeline/admit/address-rate-limiter.js';
import { LoadMonitor } from './pipeline/admit/load-monitor.js';
import { AeStrategy } from './pipeline/authenticate/ae.strategy.js';
import { ApiKeyStrategy } from './pipeline/authenticate/api-key.strategy.js';
import { BearerStrategy } from './pipeline/authenticate/bearer.strategy.js';
import { EthereumStrategy } from './pipeline/authenticate/ethereum.strategy.js';
import { CallerCache } from './pipeline/authenticate/caller-cache.js';
import { TokenVerificationService } from './pipeline/authenticate/token-verification.service.js';
import { ConfigModule } from './config.module.js';
import { CredentialsModule } from './credentials/credentials.module.js';
import { DocumentController } from './document/document.controller.js';
import { PublicDocumentProvider } from './document/public-document.provider.js';
import { ForwardController } from './pipeline/forward.controller.js';
import { ForwardService } from './pipeline/forward/forward.service.js';
import { UpstreamRegistry } from './pipeline/forward/upstream-registry.js';
import { LimitModule } from './pipeline/limit/limit.module.js';
import { operationRouterProvider } from './pipeline/match/operation-router.js';
import { PageController } from './pages/page.controller.js';
import { PlanReportController } from './usage/plan-report.controller.js';
import { PlanReportService } from './usage/plan-report.service.js';
import { PlanUsageController } from './usage/plan-usage.controller.js';
import { PlanUsageService } from './usage/plan-usage.service.js';

@Module({
  imports: [ConfigModule, CredentialsModule, LimitModule, PrincipalVerifierModule],
  // The catch-all comes last: Express tries routes in this order.
  controllers: [
    DocumentController,
    PlanUsageController,
    PlanReportController,
    PageController,
    ForwardController,
  ],
  providers: [
    AddressRateLimiter,
    LoadMonitor,
    operationRouterProvider,
    ApiKeyStrategy,
    BearerStrategy,
    AeStrategy,
    EthereumStrategy,
    CallerCache,
    TokenVerificationService,
    UpstreamRegistry,
    ForwardService,
    PublicDocumentProvider,
    PlanUsageService,
    PlanReportService,
  ],
})
export class AppModule {}
