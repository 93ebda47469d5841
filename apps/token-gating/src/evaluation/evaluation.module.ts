import { Module } from '@nestjs/common';
import { ChainsModule } from '../chains/chains.module.js';
import { TokenListsModule } from '../token-lists/token-lists.module.js';
import { EvaluateMembers } from './evaluate-members.js';

@Module({
  imports: [ChainsModule, TokenListsModule],
  providers: [EvaluateMembers],
  exports: [EvaluateMembers],
})
export class EvaluationModule {}
