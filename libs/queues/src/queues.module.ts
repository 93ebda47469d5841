import { BullModule, getQueueToken } from '@nestjs/bullmq';
import { type DynamicModule, Module, type Type } from '@nestjs/common';
import { DiscoveryModule } from '@nestjs/core';
import type { Queue } from 'bullmq';
import { QueueBackendMonitor, QueueShutdownService } from './backend/queue-backend-monitor.js';
import { chooseQueueBackend } from './backend/choose-queue-backend.js';
import type { QueueBackend } from './backend/queue-backend.js';
import { ConsumerLifecycleService } from './consumer/consumer-lifecycle.service.js';
import { createWorkerClass } from './consumer/create-worker-class.js';
import type { QueueDefinition } from './definitions/define-queue.js';
import { toJobOptions } from './producer/to-job-options.js';
import { Producer, getProducerToken } from './producer/producer.js';
import { QueueConfig } from './queue.config.js';
import { QueueMetrics } from './queue-metrics.js';
import { QUEUES_CONTEXT, type QueuesContext } from './queues-context.js';

/** Nothing here reads the event stream of a queue; this is for other services. */
const MAX_STREAM_EVENTS = 1_000;

const BACKEND = Symbol('QueueBackend');

/**
 * Import `QueuesModule.forRoot(ServiceContext)` once per app, and `QueuesModule.register(definition)` in every module that
 * injects the queue's producer or provides its consumer.
 */
@Module({})
export class QueuesModule {
  private static readonly registered = new WeakMap<QueueDefinition, DynamicModule>();

  /** @param context the injection token of ServiceContext */
  static forRoot(context: Type<QueuesContext>): DynamicModule {
    return {
      module: QueuesModule,
      global: true,
      imports: [DiscoveryModule, BullModule.forRootAsync(sharedOptions)],
      providers: [
        QueueConfig,
        { provide: QUEUES_CONTEXT, useExisting: context },
        { provide: BACKEND, inject: [QueueConfig, QUEUES_CONTEXT], useFactory: createBackend },
        {
          provide: QueueBackendMonitor,
          inject: [BACKEND, QUEUES_CONTEXT],
          useFactory: (backend: QueueBackend, { logger }: QueuesContext) =>
            new QueueBackendMonitor(backend, logger),
        },
        QueueMetrics,
        ConsumerLifecycleService,
        QueueShutdownService,
      ],
      exports: [QueueConfig, QUEUES_CONTEXT, BACKEND, QueueBackendMonitor, QueueMetrics],
    };
  }

  /** Provides the producer for `@InjectProducer(definition)`, and the queue for a consumer. */
  static register(definition: QueueDefinition): DynamicModule {
    const registered = QueuesModule.registered.get(definition) ?? createQueueModule(definition);
    QueuesModule.registered.set(definition, registered);
    return registered;
  }
}

const sharedOptions = {
  inject: [BACKEND],
  useFactory: ({ workerConnection }: QueueBackend) => ({ connection: workerConnection }),
  extraOptions: { manualRegistration: true },
};

function createBackend(config: QueueConfig, context: QueuesContext): QueueBackend {
  const backend = chooseQueueBackend(config, context);
  // @nestjs/bullmq creates queues and workers itself, from these global settings.
  backend.install();
  BullModule.workerClass = createWorkerClass(backend, config);
  return backend;
}

const createQueueModule = (definition: QueueDefinition): DynamicModule => ({
  module: class RegisteredQueue {},
  imports: [
    BullModule.registerQueueAsync({
      name: definition.name,
      inject: [BACKEND, QueueConfig],
      useFactory: ({ producerConnection, prefix }: QueueBackend, config: QueueConfig) => ({
        connection: producerConnection,
        defaultJobOptions: toJobOptions(definition, config),
        streams: { events: { maxLen: MAX_STREAM_EVENTS } },
        ...(prefix ? { prefix } : {}),
      }),
    }),
  ],
  providers: [
    {
      provide: getProducerToken(definition),
      inject: [
        getQueueToken(definition.name),
        QueueBackendMonitor,
        QueueConfig,
        QueueMetrics,
        QUEUES_CONTEXT,
      ],
      useFactory: (
        queue: Queue,
        monitor: QueueBackendMonitor,
        config: QueueConfig,
        metrics: QueueMetrics,
        { logger }: QueuesContext,
      ) => {
        queue.on('error', (error) => {
          logger.debug({ queue: queue.name, reason: error.message }, 'queue error');
        });
        metrics.trackQueue(queue);
        return new Producer(definition, queue, monitor, config.QUEUE_ENQUEUE_TIMEOUT_MS);
      },
    },
  ],
  exports: [getProducerToken(definition)],
});
