import { balanceChecksQueue, QueuesModule } from '@app/queues';
import { PagingModule } from '@app/service';
import { Module } from '@nestjs/common';
import { AsyncChecksModule } from '../async-checks/async-checks.module.js';
import { CommunityAccessModule } from '../communities/access/community-access.module.js';
import { EvaluationModule } from '../evaluation/evaluation.module.js';
import { IdentityModule } from '../identity/identity.module.js';
import { RoleAssignmentsModule } from '../role-assignments/role-assignments.module.js';
import { TokenListsModule } from '../token-lists/token-lists.module.js';
import { BalanceCheckAccess } from './balance-check-access.js';
import { BalanceCheckRecords } from './balance-check-records.js';
import { BalanceCheckConfig } from './balance-check.config.js';
import { BalanceCheckController } from './balance-check.controller.js';
import { BalanceCheckMetrics } from './balance-check-metrics.js';
import { RequestBalanceCheckService } from './request-balance-check.service.js';
import { BalanceChecksConsumer } from './running/balance-checks.consumer.js';
import { MemberPages } from './running/member-pages.js';
import { OvertakenMembers } from './running/overtaken-members.js';
import { PageReader } from './running/page-reader.js';
import { PageStore } from './running/page-store.js';
import { RuleCosts } from './running/rule-costs.js';
import { RunTurn } from './running/run-turn.js';
import { RunningBalanceChecks } from './running/running-balance-checks.js';
import { BalanceCheckSweeper } from './sweeping/balance-check-sweeper.js';
import { BestPlans } from './sweeping/best-plans.js';
import { DeleteOldBalanceChecks } from './sweeping/delete-old-balance-checks.js';
import { EnqueueDueBalanceChecks } from './sweeping/enqueue-due-balance-checks.js';
import { ScheduleDueCommunities } from './sweeping/schedule-due-communities.js';

@Module({
  imports: [
    AsyncChecksModule,
    CommunityAccessModule,
    IdentityModule,
    EvaluationModule,
    RoleAssignmentsModule,
    TokenListsModule,
    PagingModule,
    QueuesModule.register(balanceChecksQueue),
  ],
  controllers: [BalanceCheckController],
  providers: [
    BalanceCheckConfig,
    BalanceCheckAccess,
    RequestBalanceCheckService,
    BalanceCheckRecords,
    BalanceCheckMetrics,
    RunningBalanceChecks,
    MemberPages,
    RuleCosts,
    PageReader,
    PageStore,
    OvertakenMembers,
    RunTurn,
    BalanceChecksConsumer,
    BestPlans,
    ScheduleDueCommunities,
    EnqueueDueBalanceChecks,
    DeleteOldBalanceChecks,
    BalanceCheckSweeper,
  ],
})
export class BalanceChecksModule {}
