import { Module } from '@nestjs/common';
import { ActionRunnerService } from '../actions/action-runner.service.js';
import { ActionService, CustomActionMetrics } from '../actions/action.service.js';
import { CustomActionsService } from '../actions/custom-actions.service.js';
import { ActionAddressesService, UserActionsService } from '../actions/user-actions.service.js';
import { IdentityClient, IdentityClientConfig } from '../clients/identity-client.js';
import { CustodyModule } from '../custody/custody.module.js';
import { EvmModule } from '../evm/evm.module.js';
import { FreezesService } from '../limits/freezes.service.js';
import { MintService } from '../mint/mint.service.js';
import { PoliciesModule } from '../policies/policies.module.js';
import { SolanaModule } from '../solana/solana.module.js';
import { UserOperationsModule } from '../user-operations/user-operations.module.js';
import { AccountFreezeController } from './account-freeze.controller.js';
import { AccountKitController } from './account-kit.controller.js';
import { AccountPolicyController } from './account-policy.controller.js';
import { InternalFreezesController, InternalPoliciesController } from './internal.controllers.js';
import { OperatorsService } from './operators.service.js';
import { SolanaSponsorController, SolanaSponsorsService } from './solana-sponsor.controller.js';
import { UserOperationController } from './user-operation.controller.js';

/** What client applications, operators and other apps can ask for. */
@Module({
  imports: [EvmModule, CustodyModule, PoliciesModule, UserOperationsModule, SolanaModule],
  controllers: [
    AccountKitController,
    UserOperationController,
    SolanaSponsorController,
    AccountPolicyController,
    AccountFreezeController,
    InternalPoliciesController,
    InternalFreezesController,
  ],
  providers: [
    MintService,
    SolanaSponsorsService,
    ActionService,
    CustomActionMetrics,
    CustomActionsService,
    UserActionsService,
    ActionAddressesService,
    // The service's constructor takes the URL of the worker, which Nest must not inject.
    { provide: ActionRunnerService, useFactory: () => new ActionRunnerService() },
    IdentityClientConfig,
    IdentityClient,
    OperatorsService,
    FreezesService,
  ],
})
export class ApiModule {}
