import { memberWalletsQueue, QueuesModule, walletEventsQueue } from '@app/queues';
import { Module } from '@nestjs/common';
import { IdentityClientModule } from '../../clients/identity-client.module.js';
import { MemberWalletsConsumer } from './member-wallets.consumer.js';
import { MemberWalletsService } from './member-wallets.service.js';
import { WalletEventFanout } from './wallet-event-fanout.js';
import { WalletEventsConsumer } from './wallet-events.consumer.js';

@Module({
  imports: [
    IdentityClientModule,
    QueuesModule.register(walletEventsQueue),
    QueuesModule.register(memberWalletsQueue),
  ],
  providers: [WalletEventFanout, WalletEventsConsumer, MemberWalletsService, MemberWalletsConsumer],
})
export class WalletEventsModule {}
