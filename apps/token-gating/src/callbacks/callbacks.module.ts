import { Module } from '@nestjs/common';
import { AsyncChecksModule } from '../checks/async/async-checks.module.js';
import { CallbackKeysModule } from './signing-keys/callback-keys.module.js';
import { SafeFetcherModule } from '../clients/safe-fetcher.module.js';
import { DeliveryRepository } from './delivery.repository.js';
import { DeliverySignalModule } from './delivery-signal.module.js';
import { DeliveryMetrics } from './delivery-metrics.js';
import { CallbackConfig } from './callback.config.js';
import { CallbackDispatcher } from './callback-dispatcher.js';
import { RedeliveryService } from '../checks/async/redelivery.service.js';
import { CallbackSender } from './callback-sender.js';

@Module({
  imports: [AsyncChecksModule, CallbackKeysModule, SafeFetcherModule, DeliverySignalModule],
  providers: [
    CallbackConfig,
    DeliveryRepository,
    DeliveryMetrics,
    CallbackSender,
    CallbackDispatcher,
    RedeliveryService,
  ],
  exports: [RedeliveryService],
})
export class CallbacksModule {}
