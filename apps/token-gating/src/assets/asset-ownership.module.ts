import { Module } from '@nestjs/common';
import { MetadataModule } from '../metadata/metadata.module.js';
import { AssetOwnershipController } from './asset-ownership.controller.js';

@Module({ imports: [MetadataModule], controllers: [AssetOwnershipController] })
export class AssetOwnershipModule {}
