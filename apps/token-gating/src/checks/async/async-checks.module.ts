import { checkRolesQueue, checkRolesResultsQueue, QueuesModule } from '@app/queues';
import { Module } from '@nestjs/common';
import { CheckRolesModule } from '../check-roles.module.js';
import { CallbacksModule } from '../../callbacks/callbacks.module.js';
import { SafeFetcherModule } from '../../clients/safe-fetcher.module.js';
import { PlanUsageClientModule } from '../../clients/plan-usage-client.js';
import { AcceptCheckService, RedeliveryService } from './accept-check.service.js';
import { QueuedCheckService, QueuedCheckUsageService, CheckRolesConsumer, RunCheckService } from './check-roles.consumer.js';
import { CheckResultPublisher, CheckSweeper } from './check-sweeper.js';
import { AsyncCheckConfig } from './async-check.config.js';
import { CheckRepository, CheckResultRepository } from './check.repository.js';

@Module({
  imports: [
    CheckRolesModule,
    SafeFetcherModule,
    PlanUsageClientModule,
    QueuesModule.register(checkRolesQueue),
    QueuesModule.register(checkRolesResultsQueue),
    CallbacksModule,
  ],
  providers: [
    AsyncCheckConfig,
    CheckRepository,
    AcceptCheckService,
    QueuedCheckUsageService,
    QueuedCheckService,
    RunCheckService,
    CheckResultPublisher,
    CheckResultRepository,
    CheckRolesConsumer,
    CheckSweeper,
    RedeliveryService,
  ],
  exports: [AsyncCheckConfig, AcceptCheckService, CheckResultRepository, RedeliveryService],
})
export class AsyncChecksModule {}
