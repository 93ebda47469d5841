import { createRefusalCounter } from '@app/config';
import { QueueConfig, type QueuesContext, QUEUES_CONTEXT } from './queue.config.js';
import { PostgresBackend } from './backend/postgres-backend.js';
import type { QueueBackend } from './backend/queue-backend.js';
import { RedisBackend } from './backend/redis-backend.js';
import { setTimeout as sleep } from 'node:timers/promises';
import { type Job, type Processor, Worker, type WorkerOptions, type Queue } from 'bullmq';
import { BullModule, getQueueToken } from '@nestjs/bullmq';
import { type DynamicModule, Module, type Type } from '@nestjs/common';
import { DiscoveryModule } from '@nestjs/core';
import { QueueBackendMonitor, QueueShutdownService } from './backend/queue-backend-monitor.js';
import { ConsumerLifecycleService } from './consumer/consumer-lifecycle.service.js';
import type { QueueDefinition } from './definitions/define-queue.js';
import { toJobOptions, Producer, getProducerToken } from './producer.js';
import { QueueMetrics } from './queue-metrics.js';

/** The only place that chooses the backend: Redis when REDIS_URL is set, else PostgreSQL (docs/adr/0008). */
function chooseQueueBackend(config: QueueConfig, { name, logger, metrics }: QueuesContext): QueueBackend {
  const { REDIS_URL, QUEUE_DATABASE_URL, DATABASE_URL } = config;
  if (REDIS_URL !== undefined)
    return new RedisBackend(REDIS_URL, config, createRefusalCounter(metrics.registry));
  const url = QUEUE_DATABASE_URL ?? DATABASE_URL;
  if (url === undefined) throw new Error('Queues need REDIS_URL, QUEUE_DATABASE_URL or DATABASE_URL');
  return new PostgresBackend(url, `${name} queues`, logger);
}

/** The delay after a failed fetch of jobs. */
const FETCH_RETRY_DELAY_MS = 1_000;

/** The class of @nestjs/bullmq's workers: BullMQ's Worker with this deployment's configuration. */
const createWorkerClass = (backend: QueueBackend, config: QueueConfig) => {
  const { QUEUE_KEEP_FAILED: count } = config;
  return class extends Worker {
    constructor(name: string, processor: Processor, options: Partial<WorkerOptions>) {
      const configured: WorkerOptions = {
        ...options,
        connection: backend.workerConnection,
        lockDuration: config.QUEUE_LOCK_MS,
        stalledInterval: config.QUEUE_STALLED_INTERVAL_MS,
        maxStalledCount: config.QUEUE_MAX_STALLS,
        runRetryDelay: FETCH_RETRY_DELAY_MS,
        ...(count === undefined ? {} : { removeOnFail: { count } }),
        ...(backend.prefix ? { prefix: backend.prefix } : {}),
      };
      super(name, processor, configured);
    }

    /** BullMQ fetches again at once after an error that is not of the connection, such as that of a full or read-only backend. */
    protected override async moveToActive(token: string, jobName?: string): Promise<Job> {
      try {
        return await super.moveToActive(token, jobName);
      } catch (error) {
        await sleep(FETCH_RETRY_DELAY_MS);
        throw error;
      }
    }
  };
};

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
