import { Module } from '@nestjs/common';
import { SafeFetcherModule } from '../clients/safe-fetcher.module.js';
import { CallbackDispatcher } from './callback-dispatcher.js';
import { CallbackSender } from './callback-sender.js';
import { CallbackConfig } from './callback.config.js';
import { DeliveryMetrics } from './delivery-metrics.js';
import { DeliverySignal } from './delivery-signal.js';
import { DeliveryRepository } from './delivery.repository.js';
import { RoleCallbackService } from './role-callbacks/role-callback.service.js';
import { RoleCallbackSweeper } from './role-callbacks/role-callback-sweeper.js';
import { CallbackKeysModule } from './signing-keys/callback-keys.module.js';

@Module({
  imports: [CallbackKeysModule, SafeFetcherModule],
  providers: [
    CallbackConfig,
    DeliveryRepository,
    DeliverySignal,
    DeliveryMetrics,
    CallbackSender,
    CallbackDispatcher,
    RoleCallbackService,
    RoleCallbackSweeper,
  ],
  exports: [CallbackConfig, DeliveryRepository, DeliverySignal, RoleCallbackService],
})
export class CallbacksModule {}
