import { Module } from '@nestjs/common';
import { UpstreamServiceModule } from '@app/service';
import { AccessControlModule } from './access-control/access-control.module.js';
import { AssetOwnershipModule } from './asset-ownership/asset-ownership.module.js';

@Module({ imports: [UpstreamServiceModule, AccessControlModule, AssetOwnershipModule] })
export class AppModule {}
