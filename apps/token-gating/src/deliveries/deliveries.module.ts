import { deliverCallbackQueue, QueuesModule } from '@app/queues';
import { Module } from '@nestjs/common';
import { AsyncChecksModule } from '../async-checks/async-checks.module.js';
import { CallbackKeysModule } from '../callbacks/keys/callback-keys.module.js';
import { OutboundModule } from '../outbound/outbound.module.js';
import { DeliverCallbackConsumer } from './deliver-callback.consumer.js';
import { Deliveries } from './deliveries.js';
import { DeliveryConfig } from './delivery.config.js';
import { RedeliverService } from './redeliver.service.js';
import { SendCallback } from './send-callback.js';

@Module({
  imports: [
    AsyncChecksModule,
    CallbackKeysModule,
    OutboundModule,
    QueuesModule.register(deliverCallbackQueue),
  ],
  providers: [DeliveryConfig, Deliveries, SendCallback, DeliverCallbackConsumer, RedeliverService],
  exports: [RedeliverService],
})
export class DeliveriesModule {}
