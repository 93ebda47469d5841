import { Module } from '@nestjs/common';
import { ChainsModule } from '../rules/chains/chains.module.js';
import { RuleServicesModule } from '../rules/rule-services.module.js';
import { SubjectsModule } from '../subjects/subjects.module.js';
import { TokenListsModule } from './token-lists/token-lists.module.js';
import { CheckRolesMetrics } from './check-roles-metrics.js';
import { CheckRolesService } from './check-roles.service.js';

@Module({
  imports: [ChainsModule, RuleServicesModule, SubjectsModule, TokenListsModule],
  providers: [CheckRolesMetrics, CheckRolesService],
  exports: [CheckRolesService],
})
export class CheckRolesModule {}
