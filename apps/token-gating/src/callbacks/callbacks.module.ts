import { operationCallbacksQueue, QueuesModule } from '@app/queues';
import { Module } from '@nestjs/common';
import { SafeFetcherModule } from '../clients/safe-fetcher.module.js';
import { CallbackDispatcher } from './callback-dispatcher.js';
import { CallbackSender } from './callback-sender.js';
import { CallbackConfig } from './callback.config.js';
import { DeliveryMetrics } from './delivery-metrics.js';
import { DeliverySignal } from './delivery-signal.js';
import { DeliveryRepository } from './delivery.repository.js';
import { OperationCallbackController } from './operation-callbacks/operation-callback.controller.js';
import { OperationCallbackService } from './operation-callbacks/operation-callback.service.js';
import { OperationCallbacksConsumer } from './operation-callbacks/operation-callbacks.consumer.js';
import { OperationReceiverService } from './operation-callbacks/operation-receiver.service.js';
import { RoleCallbackService } from './role-callbacks/role-callback.service.js';
import { RoleCallbackSweeper } from './role-callbacks/role-callback-sweeper.js';
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
