import { Module } from '@nestjs/common';
import { ChainsModule } from '../rules/chains/chain.service.js';
import { RuleServicesModule } from '../rules/rule-services.js';
import { CatalogueController } from './catalogue.controller.js';
import { TokenDetailsService } from './token-details.service.js';

@Module({
  imports: [ChainsModule, RuleServicesModule],
  controllers: [CatalogueController],
  providers: [TokenDetailsService],
})
export class CatalogueModule {}
