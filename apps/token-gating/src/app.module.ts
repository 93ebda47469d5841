import { QueuesModule } from '@app/queues';
import { ServiceContext, UpstreamServiceModule } from '@app/service';
import { Module } from '@nestjs/common';
import { AccessControlModule } from './access-control/access-control.module.js';
import { AssetOwnershipModule } from './asset-ownership/asset-ownership.module.js';
import { DatabaseModule } from './database/database.module.js';
import { QueueReadiness } from './queue-readiness.js';

@Module({
  imports: [
    UpstreamServiceModule,
    DatabaseModule,
    QueuesModule.forRoot(ServiceContext),
    AccessControlModule,
    AssetOwnershipModule,
  ],
  providers: [QueueReadiness],
})
export class AppModule {}
