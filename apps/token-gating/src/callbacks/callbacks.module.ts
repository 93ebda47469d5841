import { Database } from '@app/database';
import { operationCallbacksQueue, QueuesModule } from '@app/queues';
import { PaginationModule, ServiceContext } from '@app/service';
import { Module } from '@nestjs/common';
import { IdentityClientModule } from '../clients/identity-client.js';
import { SafeFetcherModule } from '../clients/safe-fetcher.module.js';
import { CallbackDispatcher } from './callback-dispatcher.js';
import { CallbackSender } from './callback-sender.js';
import { CallbackKeyRing, createCallbackKeyStore } from './callback-key-ring.js';
import { CallbackConfig, CallbackKeyConfig } from './callback.config.js';
import { DeliveryMetrics } from './delivery-metrics.js';
import { DeliveryRepository, DeliverySignal } from './delivery.repository.js';
import { CallbackEndpointController } from './endpoints/callback-endpoint.controller.js';
import { CallbackEndpointsService } from './endpoints/callback-endpoints.service.js';
import { EndpointAccessService } from './endpoints/endpoint-access.service.js';
import { EndpointDeliveriesService } from './endpoints/endpoint-deliveries.service.js';
import { EndpointEventService } from './endpoints/endpoint-event.service.js';
import { EndpointSecrets } from './endpoints/endpoint-secrets.js';
import { EndpointWalletEventService } from './endpoints/endpoint-wallet-events.service.js';
import { EndpointSweeper } from './endpoints/endpoint-sweeper.js';
import {
  OperationCallbackController,
  OperationCallbacksConsumer,
  OperationCallbackService,
} from './operation-callbacks/operation-callback.controller.js';
import { OperationReceiverService } from './operation-callbacks/operation-receiver.service.js';
import { RoleCallbackService, RoleCallbackSweeper } from './role-callbacks/role-callback.service.js';

@Module({
  imports: [
    SafeFetcherModule,
    IdentityClientModule,
    PaginationModule,
    QueuesModule.register(operationCallbacksQueue),
  ],
  controllers: [OperationCallbackController, CallbackEndpointController],
  providers: [
    CallbackConfig,
    CallbackKeyConfig,
    {
      provide: CallbackKeyRing,
      inject: [CallbackKeyConfig, Database, ServiceContext],
      useFactory: (config: CallbackKeyConfig, database: Database, { logger, readiness }: ServiceContext) => {
        const keys = new CallbackKeyRing(createCallbackKeyStore(database, config), logger);
        readiness.addCheck('callback-keys', () => {
          keys.checkLoaded();
        });
        return keys;
      },
    },
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
    EndpointSecrets,
    EndpointAccessService,
    EndpointEventService,
    EndpointWalletEventService,
    EndpointDeliveriesService,
    EndpointSweeper,
    CallbackEndpointsService,
  ],
  exports: [
    CallbackConfig,
    CallbackKeyRing,
    DeliveryRepository,
    DeliverySignal,
    RoleCallbackService,
    EndpointEventService,
    EndpointWalletEventService,
  ],
})
export class CallbacksModule {}
