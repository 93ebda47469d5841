import { QueuesModule, walletEventsQueue } from '@app/queues';
import { Module } from '@nestjs/common';
import { PassOnWalletEvents } from './pass-on-wallet-events.js';
import { WalletEventsConsumer } from './wallet-events.consumer.js';

@Module({
  imports: [QueuesModule.register(walletEventsQueue)],
  providers: [PassOnWalletEvents, WalletEventsConsumer],
})
export class WalletEventsModule {}
