import { PrincipalIssuer } from '@app/auth';
import { PrincipalVerifierModule } from '@app/service';
import { Module } from '@nestjs/common';
import { ApiKeyService } from './credentials/api-key.service.js';
import { ClientPlanService } from './credentials/client-plan.service.js';
import { ContractWalletSignatureService } from './credentials/contract-wallet-signature.service.js';
import { IdentityClient } from './credentials/identity-client.js';
import { KeyUseReporter } from './credentials/key-use-reporter.js';
import { RevocationFeedSubscriber } from './credentials/revocation-feed-subscriber.js';
import { RevokedTokenStore } from './credentials/revoked-token-store.js';
import { TokenKeyCache } from './credentials/token-key-cache.js';
import { VerifiedTokenCache } from './credentials/verified-token-cache.js';
import { DocumentController, PublicDocumentProvider } from './document/document.controller.js';
import { GatewayConfig } from './gateway.config.js';
import { PageController, PageGuard } from './pages/page.controller.js';
import { UnmatchedController } from './pages/unmatched.controller.js';
import { AddressRateLimiter } from './pipeline/admit/address-rate-limiter.js';
import { LoadMonitor } from './pipeline/admit/load-monitor.js';
import { UnknownKeyQueue } from './pipeline/admit/unknown-key-queue.js';
import { AeStrategy } from './pipeline/authenticate/ae.strategy.js';
import { ApiKeyStrategy } from './pipeline/authenticate/api-key.strategy.js';
import { BearerStrategy } from './pipeline/authenticate/bearer.strategy.js';
import { CallerCache } from './pipeline/authenticate/caller-cache.js';
import { EthereumStrategy } from './pipeline/authenticate/ethereum.strategy.js';
import { TokenVerificationService } from './pipeline/authenticate/token-verification.service.js';
import { ForwardService } from './pipeline/forward/forward.service.js';
import { RequestBodyReader } from './pipeline/forward/request-body-reader.js';
import { UpstreamRegistry } from './pipeline/forward/upstream-registry.js';
import { counterStoreProviders } from './pipeline/limit/counter-stores.providers.js';
import { operationRouterProvider } from './pipeline/match/operation-router.js';
import { pipelineProviders } from './pipeline/pipeline.js';
import {
  PlanReportController,
  PlanUsageController,
  UserUsageController,
} from './usage/plan-usage.controller.js';
import { PlanReportService, PlanUsageService } from './usage/plan-usage.service.js';
import { UserUsageService } from './usage/user-usage.service.js';

/** Everything of the gateway in one module: the steps of the pipeline inject services of every feature. */
@Module({
  imports: [PrincipalVerifierModule],
  // Express tries routes in this order, so the catch-all UnmatchedController comes last.
  controllers: [
    DocumentController,
    PlanUsageController,
    PlanReportController,
    UserUsageController,
    PageController,
    UnmatchedController,
  ],
  providers: [
    GatewayConfig,
    {
      provide: PrincipalIssuer,
      inject: [GatewayConfig],
      useFactory: ({ INTERNAL_SIGNING_KEY }: GatewayConfig) => new PrincipalIssuer(INTERNAL_SIGNING_KEY),
    },
    // Credentials and what identity says of them.
    IdentityClient,
    RevocationFeedSubscriber,
    ApiKeyService,
    KeyUseReporter,
    ClientPlanService,
    ContractWalletSignatureService,
    RevokedTokenStore,
    TokenKeyCache,
    VerifiedTokenCache,
    // The steps of a request.
    operationRouterProvider,
    ...pipelineProviders,
    AddressRateLimiter,
    UnknownKeyQueue,
    LoadMonitor,
    ApiKeyStrategy,
    BearerStrategy,
    AeStrategy,
    EthereumStrategy,
    CallerCache,
    TokenVerificationService,
    ...counterStoreProviders,
    UpstreamRegistry,
    RequestBodyReader,
    ForwardService,
    PageGuard,
    // The document, and the usage of plans.
    PublicDocumentProvider,
    PlanUsageService,
    PlanReportService,
    UserUsageService,
  ],
})
export class AppModule {}
