import { Module } from '@nestjs/common';
import { ChainsModule } from '../rules/chains/chain.service.js';
import { RuleServicesModule } from '../rules/rule-services.js';
import { CatalogueController } from './catalogue.controller.js';
import { CatalogueService } from './catalogue.service.js';
import { TokenDetailsService } from './token-details.service.js';

@Module({
  imports: [ChainsModule, RuleServicesModule],
  controllers: [CatalogueController],
  providers: [CatalogueService, TokenDetailsService],
  exports: [CatalogueService, TokenDetailsService],
})
export class CatalogueModule {}
