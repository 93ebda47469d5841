import { balanceChecksQueue, QueuesModule } from '@app/queues';
import { PaginationModule } from '@app/service';
import { Module } from '@nestjs/common';
import { CommunityAccessModule } from '../../communities/access/community-access.service.js';
import { MemberEvaluationModule } from '../evaluation/member-evaluation.service.js';
import { IdentityClientModule } from '../../clients/identity-client.js';
import { RoleAssignmentsModule } from '../assignments/role-assignments.service.js';
import { TokenListsModule } from '../../checks/token-lists/token-lists.module.js';
import { BalanceCheckAccessService, BalanceChecksService, RequestBalanceCheckService } from './balance-checks.service.js';
import { BalanceCheckConfig } from './balance-check.config.js';
import { BalanceCheckController } from './balance-check.controller.js';
import { BalanceCheckMetrics } from './balance-check-metrics.js';
import { BalanceChecksConsumer } from './running/balance-checks.consumer.js';
import { MemberPageWriter, MemberRecheckService } from './running/member-page-writer.js';
import { MemberPageReader, RuleCostService } from './running/member-page-reader.js';
import { BalanceCheckTurnService } from './running/balance-check-turn.service.js';
import { BalanceCheckSweeper, ClientPlansService } from './sweeping/balance-check-sweeper.js';

@Module({
  imports: [
    CommunityAccessModule,
    IdentityClientModule,
    MemberEvaluationModule,
    RoleAssignmentsModule,
    TokenListsModule,
    PaginationModule,
    QueuesModule.register(balanceChecksQueue),
  ],
  controllers: [BalanceCheckController],
  providers: [
    BalanceCheckConfig,
    BalanceCheckAccessService,
    RequestBalanceCheckService,
    BalanceChecksService,
    BalanceCheckMetrics,
    RuleCostService,
    MemberPageReader,
    MemberPageWriter,
    MemberRecheckService,
    BalanceCheckTurnService,
    BalanceChecksConsumer,
    ClientPlansService,
    BalanceCheckSweeper,
  ],
})
export class BalanceChecksModule {}
