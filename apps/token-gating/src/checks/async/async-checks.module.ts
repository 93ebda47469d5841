import { checkRolesQueue, checkRolesResultsQueue, QueuesModule } from '@app/queues';
import { Module } from '@nestjs/common';
import { CheckRolesModule } from '../check-roles.module.js';
import { CallbacksModule } from '../../callbacks/callbacks.module.js';
import { SafeFetcherModule } from '../../clients/safe-fetcher.module.js';
import { PlanUsageClientModule } from '../../clients/plan-usage-client.module.js';
import { AcceptCheckService } from './accept-check.service.js';
import { QueuedCheckService } from './queued-check.service.js';
import { CheckResultPublisher } from './check-result-publisher.js';
import { AsyncCheckConfig } from './async-check.config.js';
import { CheckResultRepository } from './check-result.repository.js';
import { CheckRolesConsumer } from './check-roles.consumer.js';
import { QueuedCheckUsageService } from './queued-check-usage.service.js';
import { RedeliveryService } from './redelivery.service.js';
import { RunCheckService } from './run-check.service.js';
import { CheckRepository } from './check.repository.js';
import { CheckSweeper } from './check-sweeper.js';

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
