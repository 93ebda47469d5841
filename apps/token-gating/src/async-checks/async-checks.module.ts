import { checkRolesQueue, checkRolesResultsQueue, QueuesModule } from '@app/queues';
import { Module } from '@nestjs/common';
import { CheckRolesModule } from '../check-roles/check-roles.module.js';
import { DeliveryBellModule } from '../deliveries/delivery-bell.module.js';
import { OutboundModule } from '../outbound/outbound.module.js';
import { PlanUsageModule } from '../plan-usage/plan-usage.module.js';
import { AcceptCheckService } from './accept-check.service.js';
import { AcceptQueuedCheck } from './accept-queued-check.js';
import { AcceptedChecks } from './accepted-checks.js';
import { Announcements } from './announcements.js';
import { AsyncCheckConfig } from './async-check.config.js';
import { CheckAnswers } from './check-answers.js';
import { CheckRolesConsumer } from './check-roles.consumer.js';
import { CountQueuedCheck } from './count-queued-check.js';
import { RunCheck } from './run-check.js';
import { RunningChecks } from './running-checks.js';
import { CheckSweeper } from './sweeping/check-sweeper.js';
import { DeleteExpired } from './sweeping/delete-expired.js';
import { EnqueueDueChecks } from './sweeping/enqueue-due-checks.js';
import { ReplyLate } from './sweeping/reply-late.js';

@Module({
  imports: [
    CheckRolesModule,
    OutboundModule,
    PlanUsageModule,
    QueuesModule.register(checkRolesQueue),
    QueuesModule.register(checkRolesResultsQueue),
    DeliveryBellModule,
  ],
  providers: [
    AsyncCheckConfig,
    AcceptedChecks,
    AcceptCheckService,
    CountQueuedCheck,
    AcceptQueuedCheck,
    RunningChecks,
    RunCheck,
    Announcements,
    CheckAnswers,
    CheckRolesConsumer,
    EnqueueDueChecks,
    ReplyLate,
    DeleteExpired,
    CheckSweeper,
  ],
  exports: [AsyncCheckConfig, AcceptCheckService, CheckAnswers],
})
export class AsyncChecksModule {}
