import { Module } from '@nestjs/common';
import { CheckRolesModule } from '../checks/check-roles.module.js';
import { ChainsModule } from '../rules/chains/chains.module.js';
import { AssetOwnershipController } from './asset-ownership.controller.js';
import { AssetOwnershipService } from './ownership/asset-ownership.service.js';

@Module({
  imports: [ChainsModule, CheckRolesModule],
  controllers: [AssetOwnershipController],
  providers: [AssetOwnershipService],
})
export class AssetOwnershipModule {}
