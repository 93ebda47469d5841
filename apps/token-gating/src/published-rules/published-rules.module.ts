import { Module } from '@nestjs/common';
import { ChecksModule } from '../checks/checks.module.js';
import { PublishedRuleController } from './published-rule.controller.js';
import { PublishedRulesService } from './published-rules.service.js';

@Module({
  imports: [ChecksModule],
  controllers: [PublishedRuleController],
  providers: [PublishedRulesService],
})
export class PublishedRulesModule {}
