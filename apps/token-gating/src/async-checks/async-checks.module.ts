import { checkRolesQueue, checkRolesResultsQueue, deliverCallbackQueue, QueuesModule } from '@app/queues';
import { Module } from '@nestjs/common';
import { CheckRolesModule } from '../check-roles/check-roles.module.js';
import { OutboundModule } from '../outbound/outbound.module.js';
import { AcceptCheckService } from './accept-check.service.js';
import { AcceptQueuedCheck } from './accept-queued-check.js';
import { AcceptedChecks } from './accepted-checks.js';
import { Announcements } from './announcements.js';
import { AsyncCheckConfig } from './async-check.config.js';
import { CheckAnswers } from './check-answers.js';
import { CheckRolesConsumer } from './check-roles.consumer.js';
import { RunCheck } from './run-check.js';
import { RunningChecks } from './running-checks.js';
import { Sweeper } from './sweeper.js';

@Module({
  imports: [
    CheckRolesModule,
    OutboundModule,
    QueuesModule.register(checkRolesQueue),
    QueuesModule.register(checkRolesResultsQueue),
    QueuesModule.register(deliverCallbackQueue),
  ],
  providers: [
    AsyncCheckConfig,
    AcceptedChecks,
    AcceptCheckService,
    AcceptQueuedCheck,
    RunningChecks,
    RunCheck,
    Announcements,
    CheckAnswers,
    CheckRolesConsumer,
    Sweeper,
  ],
  exports: [AsyncCheckConfig, AcceptCheckService, CheckAnswers],
})
export class AsyncChecksModule {}
