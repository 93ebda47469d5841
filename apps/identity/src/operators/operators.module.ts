import { Module } from '@nestjs/common';
import { AuditRecordsService } from '../applications/audit/audit-records.service.js';
import { ApprovalsService } from '../applications/approvals.service.js';
import { PlansService } from '../applications/plans/plans.service.js';
import { CredentialTransactionService } from '../tokens/change-feed/credential-transaction.service.js';
import { ClientsModule } from '../clients/clients.module.js';
import { PendingApplicationsService } from './pending-applications.service.js';
import { EthereumLoginModule } from '../ethereum-login/ethereum-login.module.js';
import { OAuth2Module } from '../oauth2/oauth2.module.js';
import { OperatorUsernamesService, UserErasureService } from './operator-users.service.js';
import { CommunitySuspensionsService } from './community-suspensions.service.js';
import { OperatorConfig } from './operator.config.js';
import { OperatorActionsController, OperatorController } from './operator.controller.js';
import { OperatorActionsService } from './operator-actions.service.js';
import { OperatorsService } from './operators.service.js';
import { OperatorSearchService } from './operator-search.service.js';
import { OperatorPlansService } from './operator-plans.service.js';
import { TokensModule } from '../tokens/tokens.module.js';
import { UserEventsService } from '../users/user-events.service.js';
import { UsersModule } from '../users/users.module.js';

@Module({
  imports: [TokensModule, ClientsModule, EthereumLoginModule, OAuth2Module, UsersModule],
  controllers: [OperatorController, OperatorActionsController],
  providers: [
    OperatorConfig,
    OperatorsService,
    PendingApplicationsService,
    OperatorPlansService,
    OperatorActionsService,
    OperatorSearchService,
    OperatorUsernamesService,
    UserErasureService,
    CommunitySuspensionsService,
    AuditRecordsService,
    {
      provide: ApprovalsService,
      inject: [CredentialTransactionService, UserEventsService],
      useFactory: (transactions: CredentialTransactionService, events: UserEventsService) =>
        new ApprovalsService(transactions, events),
    },
    {
      provide: PlansService,
      inject: [CredentialTransactionService],
      useFactory: (transactions: CredentialTransactionService) => new PlansService(transactions),
    },
  ],
  exports: [
    OperatorsService,
    PendingApplicationsService,
    OperatorPlansService,
    OperatorActionsService,
    OperatorSearchService,
    CommunitySuspensionsService,
    AuditRecordsService,
    ApprovalsService,
    PlansService,
  ],
})
export class OperatorsModule {}
