import { Module } from '@nestjs/common';
import { UpstreamServiceModule } from '@app/service';
import { AccountKitModule } from './account-kit/account-kit.module.js';
import { DatabaseModule } from './database/database.module.js';
import { EvmModule } from './evm/evm.module.js';
import { ExecutorsModule } from './executors/executors.module.js';

@Module({
  imports: [UpstreamServiceModule, DatabaseModule, EvmModule, ExecutorsModule, AccountKitModule],
})
export class AppModule {}
