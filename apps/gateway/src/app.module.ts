import { Module } from '@nestjs/common';
import { PrincipalVerifierModule } from '@app/service';
import { AddressLimit } from './admit/address-limit.js';
import { LoadMonitor } from './admit/load-monitor.js';
import { AeStrategy } from './authenticate/ae.strategy.js';
import { ApiKeyStrategy } from './authenticate/api-key.strategy.js';
import { BearerStrategy } from './authenticate/bearer.strategy.js';
import { EthereumStrategy } from './authenticate/ethereum.strategy.js';
import { KnownCallers } from './authenticate/known-callers.js';
import { TokenVerification } from './authenticate/token-verification.js';
import { ConfigModule } from './config.module.js';
import { CredentialsModule } from './credentials/credentials.module.js';
import { DocumentController } from './document/document.controller.js';
import { PublicDocument } from './document/public-document.js';
import { ForwardController } from './forward/forward.controller.js';
import { Forwarder } from './forward/forwarder.js';
import { Upstreams } from './forward/upstreams.js';
import { LimitsModule } from './limit/limits.module.js';
import { operationTableProvider } from './match/operation-table.provider.js';
import { PageController } from './pages/page.controller.js';
import { PlanReportController } from './plan-usage/plan-report.controller.js';
import { PlanReportService } from './plan-usage/plan-report.service.js';
import { PlanUsageController } from './plan-usage/plan-usage.controller.js';
import { PlanUsageService } from './plan-usage/plan-usage.service.js';

@Module({
  imports: [ConfigModule, CredentialsModule, LimitsModule, PrincipalVerifierModule],
  // The catch-all comes last: Express tries routes in this order.
  controllers: [
    DocumentController,
    PlanUsageController,
    PlanReportController,
    PageController,
    ForwardController,
  ],
  providers: [
    AddressLimit,
    LoadMonitor,
    operationTableProvider,
    ApiKeyStrategy,
    BearerStrategy,
    AeStrategy,
    EthereumStrategy,
    KnownCallers,
    TokenVerification,
    Upstreams,
    Forwarder,
    PublicDocument,
    PlanUsageService,
    PlanReportService,
  ],
})
export class AppModule {}
