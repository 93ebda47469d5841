import { Module } from '@nestjs/common';
import { OutboxModule } from '@app/outbox';
import { QueuesModule, walletEventsQueue } from '@app/queues';
import { ServiceContext, UpstreamServiceModule } from '@app/service';
import { AccountsModule } from './accounts/accounts.module.js';
import { ClientApplicationsModule } from './client-applications/client-applications.module.js';
import { ClientPlansModule } from './client-plans/client-plans.module.js';
import { CredentialsModule } from './credentials/credentials.module.js';
import { DatabaseModule } from './database/database.module.js';
import { storage } from './database/storage.js';
import { DirectoryModule } from './directory/directory.module.js';
import { EthereumLoginModule } from './ethereum-login/ethereum-login.module.js';
import { JwksModule } from './jwks/jwks.module.js';
import { OAuth2Module } from './oauth2/oauth2.module.js';
import { OperatorsModule } from './operators/operators.module.js';
import { PagesModule } from './pages/pages.module.js';
import { RevocationsModule } from './revocations/revocations.module.js';
import { TokenKeysModule } from './token-keys/token-keys.module.js';

@Module({
  imports: [
    UpstreamServiceModule,
    DatabaseModule,
    // Not a condition of readiness: while the queue is away users log in, and news of their wallets waits.
    QueuesModule.forRoot(ServiceContext),
    OutboxModule.forRoot({ schema: storage.schema, queues: [walletEventsQueue] }),
    CredentialsModule,
    ClientPlansModule,
    ClientApplicationsModule,
    OperatorsModule,
    TokenKeysModule,
    RevocationsModule,
    JwksModule,
    OAuth2Module,
    EthereumLoginModule,
    AccountsModule,
    DirectoryModule,
    PagesModule,
  ],
})
export class AppModule {}
