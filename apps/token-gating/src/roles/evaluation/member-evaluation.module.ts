import { Module } from '@nestjs/common';
import { ChainsModule } from '../../rules/chains/chains.module.js';
import { RuleServicesModule } from '../../rules/rule-services.module.js';
import { TokenListsModule } from '../../checks/token-lists/token-lists.module.js';
import { MemberEvaluationService } from './member-evaluation.service.js';

@Module({
  imports: [ChainsModule, RuleServicesModule, TokenListsModule],
  providers: [MemberEvaluationService],
  exports: [MemberEvaluationService],
})
export class MemberEvaluationModule {}
