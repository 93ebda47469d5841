import { type Producer, getProducerToken, type QueueDefinition, QueuesModule } from '@app/queues';
import { type DynamicModule, Module } from '@nestjs/common';
import {
  OutboxSignal,
  OUTBOX_QUEUES,
  type OutboxQueue,
  OUTBOX_OPTIONS,
  type OutboxOptions,
  OutboxConfig,
} from './outbox.config.js';
import { OutboxMetrics } from './outbox-metrics.js';
import { OutboxQueries } from './outbox.queries.js';
import { OutboxService } from './outbox.service.js';
import { OutboxRelayWorker } from './outbox-relay.worker.js';

/** Provides OutboxService globally and runs the relay. The app must provide Database and import the queues. */
@Module({})
export class OutboxModule {
  static forRoot(options: OutboxOptions): DynamicModule {
    const { queues } = options;
    return {
      module: OutboxModule,
      global: true,
      imports: queues.map((definition) => QueuesModule.register(definition)),
      providers: [
        { provide: OUTBOX_OPTIONS, useValue: options },
        {
          provide: OUTBOX_QUEUES,
          inject: queues.map(getProducerToken),
          useFactory: (...producers: Producer<QueueDefinition>[]): OutboxQueue[] =>
            producers.map((producer) => ({ definition: producer.definition, producer })),
        },
        OutboxConfig,
        OutboxSignal,
        OutboxQueries,
        OutboxMetrics,
        OutboxService,
        OutboxRelayWorker,
      ],
      exports: [OutboxService],
    };
  }
}
