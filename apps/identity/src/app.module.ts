import { Module } from '@nestjs/common';
import { UpstreamServiceModule } from '@app/service';
import { AccountsModule } from './accounts/accounts.module.js';
import { ClientPlansModule } from './client-plans/client-plans.module.js';
import { CredentialsModule } from './credentials/credentials.module.js';
import { DatabaseModule } from './database/database.module.js';
import { EthereumLoginModule } from './ethereum-login/ethereum-login.module.js';
import { JwksModule } from './jwks/jwks.module.js';
import { OAuth2Module } from './oauth2/oauth2.module.js';

@Module({
  imports: [
    UpstreamServiceModule,
    DatabaseModule,
    CredentialsModule,
    ClientPlansModule,
    JwksModule,
    OAuth2Module,
    EthereumLoginModule,
    AccountsModule,
  ],
})
export class AppModule {}
