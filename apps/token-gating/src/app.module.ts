import { OutboxModule } from '@app/outbox';
import { memberChecksQueue, memberWalletsQueue, QueueReadinessCheck, QueuesModule } from '@app/queues';
import { ServiceContext, UpstreamServiceModule } from '@app/service';
import { Module } from '@nestjs/common';
import { AccessControlController, CheckResponseService } from './access-control/access-control.controller.js';
import { AssetsModule } from './assets/assets.module.js';
import { CatalogueModule } from './catalogue/catalogue.module.js';
import { CallbacksModule } from './callbacks/callbacks.module.js';
import { ChecksModule } from './checks/checks.module.js';
import { CommunitiesModule } from './communities/communities.module.js';
import { COMMUNITY_EVENT_QUEUES } from './communities/events/community-event.publisher.js';
import { DatabaseModule } from './database/database.module.js';
import { storage } from './database/storage.js';
import { JwksController } from './jwks/jwks.controller.js';
import { PublishedRulesModule } from './published-rules/published-rules.module.js';
import { PortalModule } from './portal/portal.module.js';
import { RolesModule } from './roles/roles.module.js';
import { VerifiableCredentialsModule } from './verifiable-credentials/verifiable-credentials.module.js';

@Module({
  imports: [
    UpstreamServiceModule,
    DatabaseModule,
    QueuesModule.forRoot(ServiceContext),
    OutboxModule.forRoot({
      schema: storage.schema,
      queues: [...COMMUNITY_EVENT_QUEUES, memberChecksQueue, memberWalletsQueue],
    }),
    CallbacksModule,
    ChecksModule,
    AssetsModule,
    CatalogueModule,
    RolesModule,
    CommunitiesModule,
    PortalModule,
    PublishedRulesModule,
    VerifiableCredentialsModule,
  ],
  controllers: [AccessControlController, JwksController],
  providers: [CheckResponseService, QueueReadinessCheck],
})
export class AppModule {}
