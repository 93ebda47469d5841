import { checkRolesQueue, checkRolesResultsQueue, QueuesModule } from '@app/queues';
import { Module } from '@nestjs/common';
import { CallbacksModule } from '../callbacks/callbacks.module.js';
import { IdentityClientModule } from '../clients/identity-client.js';
import { PlanUsageClientModule } from '../clients/plan-usage-client.js';
import { SafeFetcherModule } from '../clients/safe-fetcher.module.js';
import { ChainsModule } from '../rules/chains/chain.service.js';
import { RuleServicesModule } from '../rules/rule-services.js';
import { UserAddressesService } from '../subjects/user-addresses.service.js';
import { AcceptCheckService, RedeliveryService } from './async/accept-check.service.js';
import { AsyncCheckConfig } from './async/async-check.config.js';
import {
  CheckRolesConsumer,
  QueuedCheckService,
  QueuedCheckUsageService,
  RunCheckService,
} from './async/check-roles.consumer.js';
import { CheckResultPublisher, CheckSweeper } from './async/check-sweeper.js';
import { CheckRepository, CheckResultRepository } from './async/check.repository.js';
import { CheckRolesMetrics, CheckRolesService } from './check-roles.service.js';
import { TokenListService } from './token-list.service.js';

@Module({
  imports: [
    CallbacksModule,
    ChainsModule,
    IdentityClientModule,
    PlanUsageClientModule,
    RuleServicesModule,
    SafeFetcherModule,
    QueuesModule.register(checkRolesQueue),
    QueuesModule.register(checkRolesResultsQueue),
  ],
  providers: [
    AcceptCheckService,
    AsyncCheckConfig,
    CheckRepository,
    CheckResultPublisher,
    CheckResultRepository,
    CheckRolesConsumer,
    CheckRolesMetrics,
    CheckRolesService,
    CheckSweeper,
    QueuedCheckService,
    QueuedCheckUsageService,
    RedeliveryService,
    RunCheckService,
    TokenListService,
    UserAddressesService,
  ],
  exports: [
    AcceptCheckService,
    AsyncCheckConfig,
    CheckResultRepository,
    CheckRolesService,
    RedeliveryService,
    TokenListService,
    UserAddressesService,
  ],
})
export class ChecksModule {}
