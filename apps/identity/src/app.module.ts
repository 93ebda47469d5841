import { Module } from '@nestjs/common';
import { OutboxModule } from '@app/outbox';
import { QueuesModule, userEventsQueue, walletEventsQueue } from '@app/queues';
import { ServiceContext, UpstreamServiceModule } from '@app/service';
import { AccountModule } from './users/account.module.js';
import { ClientApplicationsModule } from './applications/client-applications.module.js';
import { CredentialsModule } from './applications/credentials/credentials.module.js';
import { DatabaseModule } from './database/database.module.js';
import { storage } from './database/storage.js';
import { DirectoryModule } from './users/directory/directory.module.js';
import { EthereumLoginModule } from './ethereum-login/ethereum-login.module.js';
import { JwksModule } from './tokens/keys/jwks.module.js';
import { OAuth2Module } from './oauth2/oauth2.module.js';
import { OperatorsModule } from './operators/operators.module.js';
import { PagesModule } from './pages/pages.module.js';
import { PasskeysModule } from './passkeys/passkeys.module.js';
import { PlatformWalletsModule } from './platform-wallets/platform-wallets.module.js';
import { RevocationsModule } from './tokens/revocations/revocations.module.js';
import { TokenKeysModule } from './tokens/keys/token-keys.module.js';

@Module({
  imports: [
    UpstreamServiceModule,
    DatabaseModule,
    // The queue is no condition of readiness: while it is unavailable users still log in, and their events wait in the
    // outbox.
    QueuesModule.forRoot(ServiceContext),
    OutboxModule.forRoot({ schema: storage.schema, queues: [userEventsQueue, walletEventsQueue] }),
    CredentialsModule,
    ClientApplicationsModule,
    OperatorsModule,
    TokenKeysModule,
    RevocationsModule,
    JwksModule,
    OAuth2Module,
    EthereumLoginModule,
    AccountModule,
    DirectoryModule,
    PlatformWalletsModule,
    PasskeysModule,
    PagesModule,
  ],
})
export class AppModule {}
