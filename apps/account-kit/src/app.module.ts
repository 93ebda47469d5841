import { Module } from '@nestjs/common';
import { UpstreamServiceModule } from '@app/service';
import { AccountKitModule } from './account-kit/account-kit.module.js';

@Module({ imports: [UpstreamServiceModule, AccountKitModule] })
export class AppModule {}
