import { memberWalletsQueue, QueuesModule, walletEventsQueue } from '@app/queues';
import { Module } from '@nestjs/common';
import { IdentityClientModule } from '../../clients/identity-client.js';
import { MemberWalletsConsumer, MemberWalletsService } from './member-wallets.service.js';
import { WalletEventFanout, WalletEventsConsumer } from './wallet-event-fanout.js';

@Module({
  imports: [
    IdentityClientModule,
    QueuesModule.register(walletEventsQueue),
    QueuesModule.register(memberWalletsQueue),
  ],
  providers: [WalletEventFanout, WalletEventsConsumer, MemberWalletsService, MemberWalletsConsumer],
})
export class WalletEventsModule {}
