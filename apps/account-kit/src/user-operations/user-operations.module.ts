import { Module } from '@nestjs/common';
import { AccountsModule } from '../custody/accounts/accounts.module.js';
import { EvmModule } from '../evm/evm.module.js';
import { ExecutorsModule } from './execution/executors.module.js';
import { KeyVaultModule } from '../custody/key-vault.module.js';
import { PlatformsModule } from '../owners/platforms.module.js';
import { PoliciesModule } from '../policies/policies.module.js';
import { SponsoringModule } from '../policies/sponsoring/sponsoring.module.js';
import { TokenAudienceModule } from '../custody/token-audience/token-audience.module.js';
import { AcceptOperationService } from './accept-operation.service.js';
import { CapSettlementService } from './cap-settlement.service.js';
import { OperationListService } from './operation-list.service.js';
import { OperationReceiptsService } from './operation-receipts.service.js';
import { OperationSigningService, UnsignedOperationJudge } from './operation-signing.service.js';
import { OperationSubmissionService } from './operation-submission.service.js';
import { RetentionSweeper } from './retention-sweeper.js';
import { UnsignedOperationsSweeper } from './unsigned-operations-sweeper.js';
import { UserOperationsService } from './user-operations.service.js';

@Module({
  imports: [
    EvmModule,
    KeyVaultModule,
    PlatformsModule,
    TokenAudienceModule,
    AccountsModule,
    PoliciesModule,
    SponsoringModule,
    ExecutorsModule,
  ],
  providers: [
    AcceptOperationService,
    CapSettlementService,
    OperationListService,
    OperationReceiptsService,
    OperationSigningService,
    OperationSubmissionService,
    RetentionSweeper,
    UnsignedOperationJudge,
    UnsignedOperationsSweeper,
    UserOperationsService,
  ],
  exports: [OperationListService, OperationSubmissionService, UserOperationsService],
})
export class UserOperationsModule {}
