import { OutboxModule } from '@app/outbox';
import { memberChecksQueue, memberWalletsQueue, QueueReadinessCheck, QueuesModule } from '@app/queues';
import { ServiceContext, UpstreamServiceModule } from '@app/service';
import { Module } from '@nestjs/common';
import { AccessControlModule } from './access-control/access-control.module.js';
import { AccountModule } from './communities/user-communities/account.module.js';
import { AssetOwnershipModule } from './assets/asset-ownership.module.js';
import { BalancesModule } from './assets/balances/balances.module.js';
import { BalanceChecksModule } from './roles/balance-checks/balance-checks.module.js';
import { CommunitiesModule } from './communities/communities.module.js';
import { COMMUNITY_EVENT_QUEUES } from './communities/events/community-event.publisher.js';
import { DatabaseModule } from './database/database.module.js';
import { storage } from './database/storage.js';
import { JwksModule } from './jwks/jwks.controller.js';
import { MemberChecksModule } from './roles/member-checks/member-checks.module.js';
import { UserEventsModule } from './communities/user-events/user-events.module.js';
import { VerifiableCredentialsModule } from './verifiable-credentials/verifiable-credentials.module.js';
import { WalletEventsModule } from './roles/wallet-events/wallet-events.module.js';

@Module({
  imports: [
    UpstreamServiceModule,
    DatabaseModule,
    QueuesModule.forRoot(ServiceContext),
    OutboxModule.forRoot({
      schema: storage.schema,
      queues: [...COMMUNITY_EVENT_QUEUES, memberChecksQueue, memberWalletsQueue],
    }),
    AccessControlModule,
    AssetOwnershipModule,
    BalancesModule,
    BalanceChecksModule,
    CommunitiesModule,
    JwksModule,
    AccountModule,
    MemberChecksModule,
    UserEventsModule,
    VerifiableCredentialsModule,
    WalletEventsModule,
  ],
  providers: [QueueReadinessCheck],
})
export class AppModule {}
