import { Module } from '@nestjs/common';
import { ClientsModule } from '../clients/identity-client.js';
import { FreezesService } from '../limits/freezes.service.js';
import { PoliciesModule } from '../policies/policies.module.js';
import { AccountFreezeController } from './account-freeze.controller.js';
import { AccountPolicyController } from './account-policy.controller.js';
import { InternalFreezesController } from './internal-freezes.controller.js';
import { InternalPoliciesController } from './internal-policies.controller.js';
import { OperatorsService } from './operators.service.js';

@Module({
  imports: [ClientsModule, PoliciesModule],
  controllers: [
    AccountPolicyController,
    AccountFreezeController,
    InternalPoliciesController,
    InternalFreezesController,
  ],
  providers: [OperatorsService, FreezesService],
})
export class OperatorsModule {}
