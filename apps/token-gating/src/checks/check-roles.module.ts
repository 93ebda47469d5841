import { Module } from '@nestjs/common';
import { ChainsModule } from '../rules/chains/chain.service.js';
import { RuleServicesModule } from '../rules/rule-services.js';
import { SubjectsModule } from '../subjects/user-addresses.service.js';
import { TokenListsModule } from './token-lists/token-lists.module.js';
import { CheckRolesMetrics, CheckRolesService } from './check-roles.service.js';

@Module({
  imports: [ChainsModule, RuleServicesModule, SubjectsModule, TokenListsModule],
  providers: [CheckRolesMetrics, CheckRolesService],
  exports: [CheckRolesService],
})
export class CheckRolesModule {}
