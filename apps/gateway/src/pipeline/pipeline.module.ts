import { Module } from '@nestjs/common';
import { CredentialsModule } from '../credentials/credentials.module.js';
import { AddressRateLimiter } from './admit/address-rate-limiter.js';
import { LoadMonitor } from './admit/load-monitor.js';
import { AeStrategy } from './authenticate/ae.strategy.js';
import { ApiKeyStrategy } from './authenticate/api-key.strategy.js';
import { BearerStrategy } from './authenticate/bearer.strategy.js';
import { CallerCache } from './authenticate/caller-cache.js';
import { EthereumStrategy } from './authenticate/ethereum.strategy.js';
import { TokenVerificationService } from './authenticate/token-verification.service.js';
import { ForwardService } from './forward/forward.service.js';
import { RequestBodyReader } from './forward/request-body-reader.js';
import { UpstreamRegistry } from './forward/upstream-registry.js';
import { LimitModule } from './limit/limit.module.js';
import { operationRouterProvider } from './match/operation-router.js';

/** Exports what the guards of PIPELINE_GUARDS inject: Nest resolves a guard in the module of its controller. */
@Module({
  imports: [CredentialsModule, LimitModule],
  providers: [
    operationRouterProvider,
    AddressRateLimiter,
    LoadMonitor,
    ApiKeyStrategy,
    BearerStrategy,
    AeStrategy,
    EthereumStrategy,
    CallerCache,
    TokenVerificationService,
    UpstreamRegistry,
    RequestBodyReader,
    ForwardService,
  ],
  exports: [
    CredentialsModule,
    LimitModule,
    operationRouterProvider,
    AddressRateLimiter,
    LoadMonitor,
    ApiKeyStrategy,
    CallerCache,
    TokenVerificationService,
    ForwardService,
  ],
})
export class PipelineModule {}
