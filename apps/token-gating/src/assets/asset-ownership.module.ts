import { Module } from '@nestjs/common';
import { CheckRolesModule } from '../checks/check-roles.module.js';
import { ChainsModule } from '../rules/chains/chains.module.js';
import { SubjectsModule } from '../subjects/subjects.module.js';
import { AssetOwnershipController } from './asset-ownership.controller.js';
import { BalancesModule } from './balances/balances.module.js';
import { AssetListService } from './lists/asset-list.service.js';
import { AssetOwnershipService } from './ownership/asset-ownership.service.js';

@Module({
  imports: [BalancesModule, ChainsModule, CheckRolesModule, SubjectsModule],
  controllers: [AssetOwnershipController],
  providers: [AssetListService, AssetOwnershipService],
})
export class AssetOwnershipModule {}
