import { Module } from '@nestjs/common';
import { OutboxModule } from '@app/outbox';
import { QueuesModule } from '@app/queues';
import { ServiceContext, UpstreamServiceModule } from '@app/service';
import { DatabaseModule } from './database/database.module.js';
import { outboxOptions } from './database/storage.js';
import { EthereumLoginModule } from './ethereum-login/ethereum-login.module.js';
import { OAuth2Module } from './oauth2/oauth2.module.js';
import { OperatorsModule } from './operators/operators.module.js';
import { PagesModule } from './pages/pages.module.js';
import { PasskeysModule } from './passkeys/passkeys.module.js';
import { PlatformWalletsModule } from './platform-wallets/platform-wallets.module.js';
import { ApplicationsModule } from './applications/applications.module.js';
import { TokensModule } from './tokens/tokens.module.js';
import { UsersModule } from './users/users.module.js';

@Module({
  imports: [
    UpstreamServiceModule,
    DatabaseModule,
    // The queue is no condition of readiness: while it is unavailable users still log in, and their events wait in the
    // outbox.
    QueuesModule.forRoot(ServiceContext),
    OutboxModule.forRoot(outboxOptions),
    ApplicationsModule,
    OperatorsModule,
    TokensModule,
    OAuth2Module,
    EthereumLoginModule,
    UsersModule,
    PlatformWalletsModule,
    PasskeysModule,
    PagesModule,
  ],
})
export class AppModule {}
