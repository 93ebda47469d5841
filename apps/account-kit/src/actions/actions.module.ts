import { Module } from '@nestjs/common';
import { AccountsModule } from '../custody/accounts/accounts.module.js';
import { EvmModule } from '../evm/evm.module.js';
import { KeyVaultModule } from '../custody/key-vault.module.js';
import { TokenAudienceModule } from '../custody/token-audience/token-audience.module.js';
import { ActionRunnerService } from './action-runner.service.js';
import { ActionService, CustomActionMetrics } from './action.service.js';
import { CustomActionsService } from './custom-actions.service.js';
import { UserActionsService } from './user-actions.service.js';

@Module({
  imports: [AccountsModule, EvmModule, KeyVaultModule, TokenAudienceModule],
  providers: [
    ActionService,
    CustomActionMetrics,
    CustomActionsService,
    UserActionsService,
    // The service's constructor takes the URL of the worker, which Nest must not inject.
    { provide: ActionRunnerService, useFactory: () => new ActionRunnerService() },
  ],
  exports: [CustomActionsService, UserActionsService],
})
export class ActionsModule {}
