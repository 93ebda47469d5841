import { Module } from '@nestjs/common';
import { AssetOwnershipController } from './asset-ownership.controller.js';

@Module({ controllers: [AssetOwnershipController] })
export class AssetOwnershipModule {}
