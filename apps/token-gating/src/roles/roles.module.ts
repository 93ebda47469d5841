import {
  balanceChecksQueue,
  memberChecksQueue,
  memberWalletsQueue,
  QueuesModule,
  walletEventsQueue,
} from '@app/queues';
import { PaginationModule } from '@app/service';
import { Module } from '@nestjs/common';
import { CallbacksModule } from '../callbacks/callbacks.module.js';
import { ChecksModule } from '../checks/checks.module.js';
import { IdentityClientModule } from '../clients/identity-client.js';
import { CommunitiesModule } from '../communities/communities.module.js';
import { ChainsModule } from '../rules/chains/chain.service.js';
import { RuleServicesModule } from '../rules/rule-services.js';
import {
  AnnouncedEvaluationsService,
  AnnouncedEvaluationsSweeper,
} from './assignments/announced-evaluations.js';
import { RoleAssignmentsService } from './assignments/role-assignments.service.js';
import { BalanceCheckMetrics } from './balance-checks/balance-check-metrics.js';
import { BalanceCheckConfig } from './balance-checks/balance-check.config.js';
import { BalanceCheckController } from './balance-checks/balance-check.controller.js';
import {
  BalanceCheckAccessService,
  BalanceChecksService,
  RequestBalanceCheckService,
} from './balance-checks/balance-checks.service.js';
import { BalanceCheckTurnService } from './balance-checks/running/balance-check-turn.service.js';
import { BalanceChecksConsumer } from './balance-checks/running/balance-checks.consumer.js';
import { MemberPageReader, RuleCostService } from './balance-checks/running/member-page-reader.js';
import { MemberPageWriter, MemberRecheckService } from './balance-checks/running/member-page-writer.js';
import { BalanceCheckSweeper, ClientPlansService } from './balance-checks/sweeping/balance-check-sweeper.js';
import { DelegatedVaultsService } from './evaluation/delegated-vaults.js';
import { MemberEvaluationService } from './evaluation/member-evaluation.service.js';
import { MemberChecksConsumer, MemberCheckService } from './member-checks/member-checks.consumer.js';
import { CheckedMembersSweeper } from './member-roles/checked-members.js';
import { MemberLookupService } from './member-roles/member-lookup.service.js';
import { MemberRolesService } from './member-roles/member-roles.service.js';
import { AccountHasher, AccountHasherConfig } from './transfers/account-hasher.js';
import { MemberAccountsService } from './transfers/member-accounts.service.js';
import { TransferMetrics } from './transfers/transfer-metrics.js';
import { TransferWatcherConfig, WatchedChainsConfig } from './transfers/transfer-watcher.config.js';
import {
  CommunityContractsSweeper,
  TransferCheckSweeper,
  TransferWatcherService,
} from './transfers/transfer-watcher.service.js';
import { MemberWalletsConsumer, MemberWalletsService } from './wallet-events/member-wallets.consumer.js';
import { WalletEventFanout, WalletEventsConsumer } from './wallet-events/wallet-events.consumer.js';

@Module({
  imports: [
    CallbacksModule,
    ChainsModule,
    ChecksModule,
    CommunitiesModule,
    IdentityClientModule,
    PaginationModule,
    RuleServicesModule,
    ...[balanceChecksQueue, memberChecksQueue, memberWalletsQueue, walletEventsQueue].map((queue) =>
      QueuesModule.register(queue),
    ),
  ],
  controllers: [BalanceCheckController],
  providers: [
    AccountHasher,
    AccountHasherConfig,
    AnnouncedEvaluationsService,
    AnnouncedEvaluationsSweeper,
    BalanceCheckAccessService,
    BalanceCheckConfig,
    BalanceCheckMetrics,
    BalanceChecksConsumer,
    DelegatedVaultsService,
    BalanceChecksService,
    BalanceCheckSweeper,
    BalanceCheckTurnService,
    CheckedMembersSweeper,
    ClientPlansService,
    CommunityContractsSweeper,
    MemberAccountsService,
    MemberChecksConsumer,
    MemberCheckService,
    MemberEvaluationService,
    MemberLookupService,
    MemberPageReader,
    MemberPageWriter,
    MemberRecheckService,
    MemberRolesService,
    MemberWalletsConsumer,
    MemberWalletsService,
    RequestBalanceCheckService,
    RoleAssignmentsService,
    RuleCostService,
    TransferCheckSweeper,
    TransferMetrics,
    TransferWatcherConfig,
    TransferWatcherService,
    WatchedChainsConfig,
    WalletEventFanout,
    WalletEventsConsumer,
  ],
  exports: [MemberRolesService],
})
export class RolesModule {}
