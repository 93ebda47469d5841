import { operationCallbacksQueue, QueuesModule } from '@app/queues';
import { Module } from '@nestjs/common';
import { SafeFetcherModule } from '../clients/safe-fetcher.module.js';
import { CallbackDispatcher } from './callback-dispatcher.js';
import { CallbackSender } from './callback-sender.js';
import { CallbackConfig } from './callback.config.js';
import { DeliveryMetrics } from './delivery-metrics.js';
import { DeliveryRepository, DeliverySignal } from './delivery.repository.js';
import { OperationCallbackController } from './operation-callbacks/operation-callback.controller.js';
import {
  OperationCallbacksConsumer,
  OperationCallbackService,
} from './operation-callbacks/operation-callback.service.js';
import { OperationReceiverService } from './operation-callbacks/operation-receiver.service.js';
import { RoleCallbackService, RoleCallbackSweeper } from './role-callbacks/role-callback.service.js';
import { CallbackKeysModule } from './signing-keys/callback-keys.module.js';

@Module({
  imports: [CallbackKeysModule, SafeFetcherModule, QueuesModule.register(operationCallbacksQueue)],
  controllers: [OperationCallbackController],
  providers: [
    CallbackConfig,
    DeliveryRepository,
    DeliverySignal,
    DeliveryMetrics,
    CallbackSender,
    CallbackDispatcher,
    RoleCallbackService,
    RoleCallbackSweeper,
    OperationReceiverService,
    OperationCallbackService,
    OperationCallbacksConsumer,
  ],
  exports: [CallbackConfig, DeliveryRepository, DeliverySignal, RoleCallbackService],
})
export class CallbacksModule {}
