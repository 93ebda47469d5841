import { BullModule, getQueueToken } from '@nestjs/bullmq';
import { type DynamicModule, Module, type Type } from '@nestjs/common';
import { DiscoveryModule } from '@nestjs/core';
import type { Queue } from 'bullmq';
import { BackendWatch } from './backend/backend-watch.js';
import { chooseBackend } from './backend/choose-backend.js';
import type { QueueBackend } from './backend/queue-backend.js';
import { Consumers } from './consume/consumers.js';
import { workerOn } from './consume/worker-on.js';
import type { QueueDefinition } from './definitions/define-queue.js';
import { jobOptions } from './produce/job-options.js';
import { Producer, producerToken } from './produce/producer.js';
import { QueueConfig } from './queue-config.js';
import { QueueMetrics } from './queue-metrics.js';
import { QueuesShutdown } from './queues-shutdown.js';
import { QUEUES_CONTEXT, type QueuesContext } from './queues-context.js';

/** Nobody of ours listens to a queue's events; who does for a moment finds these. */
const MOST_EVENTS = 1_000;

const BACKEND = Symbol('QueueBackend');

/**
 * Queues for an app: `QueuesModule.forRoot(ServiceContext)` once, and `QueuesModule.register(definition)` in every
 * module that injects the queue's producer or has its consumer. Consumers are providers.
 */
@Module({})
export class QueuesModule {
  private static readonly registered = new WeakMap<QueueDefinition, DynamicModule>();

  /** @param context the injection token of what surrounds the queues: @app/service's ServiceContext */
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
          provide: BackendWatch,
          inject: [BACKEND, QUEUES_CONTEXT],
          useFactory: (backend: QueueBackend, { logger }: QueuesContext) => new BackendWatch(backend, logger),
        },
        QueueMetrics,
        Consumers,
        QueuesShutdown,
      ],
      exports: [QueueConfig, QUEUES_CONTEXT, BACKEND, BackendWatch, QueueMetrics],
    };
  }

  /** A definition's producer, under `@InjectProducer(definition)`, and the ground for its consumer. */
  static register(definition: QueueDefinition): DynamicModule {
    const known = QueuesModule.registered.get(definition) ?? registration(definition);
    QueuesModule.registered.set(definition, known);
    return known;
  }
}

const sharedOptions = {
  inject: [BACKEND],
  useFactory: ({ workerConnection }: QueueBackend) => ({ connection: workerConnection }),
  extraOptions: { manualRegistration: true },
};

function createBackend(config: QueueConfig, { name, logger }: QueuesContext): QueueBackend {
  const backend = chooseBackend(config, name, logger);
  // Nest's module makes queues and workers itself, and asks here what of.
  backend.install();
  BullModule.workerClass = workerOn(backend, config);
  return backend;
}

const registration = (definition: QueueDefinition): DynamicModule => ({
  module: class RegisteredQueue {},
  imports: [
    BullModule.registerQueueAsync({
      name: definition.name,
      inject: [BACKEND, QueueConfig],
      useFactory: ({ producerConnection, prefix }: QueueBackend, config: QueueConfig) => ({
        connection: producerConnection,
        defaultJobOptions: jobOptions(definition, config),
        streams: { events: { maxLen: MOST_EVENTS } },
        ...(prefix ? { prefix } : {}),
      }),
    }),
  ],
  providers: [
    {
      provide: producerToken(definition),
      inject: [getQueueToken(definition.name), BackendWatch, QueueConfig, QueueMetrics, QUEUES_CONTEXT],
      useFactory: (
        queue: Queue,
        watch: BackendWatch,
        config: QueueConfig,
        metrics: QueueMetrics,
        { logger }: QueuesContext,
      ) => {
        queue.on('error', (error) => {
          logger.debug({ queue: queue.name, reason: error.message }, 'queue trouble');
        });
        metrics.count(queue);
        return new Producer(definition, queue, watch, config.QUEUE_ENQUEUE_TIMEOUT_MS);
      },
    },
  ],
  exports: [producerToken(definition)],
});
