import { QueuesModule, walletEventsQueue } from '@app/queues';
import { Module } from '@nestjs/common';
import { WalletEventFanout } from './wallet-event-fanout.js';
import { WalletEventsConsumer } from './wallet-events.consumer.js';

@Module({
  imports: [QueuesModule.register(walletEventsQueue)],
  providers: [WalletEventFanout, WalletEventsConsumer],
})
export class WalletEventsModule {}
