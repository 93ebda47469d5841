import { Module } from '@nestjs/common';
import { AsyncChecksModule } from '../async-checks/async-checks.module.js';
import { CallbackKeysModule } from '../callbacks/keys/callback-keys.module.js';
import { OutboundModule } from '../outbound/outbound.module.js';
import { Deliveries } from './deliveries.js';
import { DeliveryBellModule } from './delivery-bell.module.js';
import { DeliveryMetrics } from './delivery-metrics.js';
import { DeliveryConfig } from './delivery.config.js';
import { Dispatcher } from './dispatcher.js';
import { RedeliverService } from './redeliver.service.js';
import { SendCallback } from './send-callback.js';

@Module({
  imports: [AsyncChecksModule, CallbackKeysModule, OutboundModule, DeliveryBellModule],
  providers: [DeliveryConfig, Deliveries, DeliveryMetrics, SendCallback, Dispatcher, RedeliverService],
  exports: [RedeliverService],
})
export class DeliveriesModule {}
