import { Module } from '@nestjs/common';
import { ChainsModule } from '../chains/chains.module.js';
import { HoldersModule } from '../holders/holders.module.js';
import { TokenListsModule } from '../token-lists/token-lists.module.js';
import { CheckRolesMetrics } from './check-roles-metrics.js';
import { CheckRolesService } from './check-roles.service.js';

@Module({
  imports: [ChainsModule, HoldersModule, TokenListsModule],
  providers: [CheckRolesMetrics, CheckRolesService],
  exports: [CheckRolesService],
})
export class CheckRolesModule {}
