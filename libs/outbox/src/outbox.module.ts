import { type Producer, getProducerToken, type QueueDefinition, QueuesModule } from '@app/queues';
import { type DynamicModule, Module } from '@nestjs/common';
import { OutboxSignal } from './outbox-signal.js';
import { OutboxMetrics } from './outbox-metrics.js';
import { OUTBOX_QUEUES, type OutboxQueue } from './outbox-queue.js';
import { OutboxRepository } from './outbox.repository.js';
import { OUTBOX_OPTIONS, type OutboxOptions } from './outbox-options.js';
import { OutboxConfig } from './outbox.config.js';
import { OutboxService } from './outbox.service.js';
import { OutboxRelayWorker } from './outbox-relay.worker.js';

/** For an app with a database and queues: `Outbox` everywhere, and the relay that empties it. */
@Module({})
export class OutboxModule {
  static forRoot(settings: OutboxOptions): DynamicModule {
    const { queues } = settings;
    return {
      module: OutboxModule,
      global: true,
      imports: queues.map((definition) => QueuesModule.register(definition)),
      providers: [
        { provide: OUTBOX_OPTIONS, useValue: settings },
        {
          provide: OUTBOX_QUEUES,
          inject: queues.map(getProducerToken),
          useFactory: (...producers: Producer<QueueDefinition>[]): OutboxQueue[] =>
            producers.map((producer) => ({ definition: producer.definition, producer })),
        },
        OutboxConfig,
        OutboxSignal,
        OutboxRepository,
        OutboxMetrics,
        OutboxService,
        OutboxRelayWorker,
      ],
      exports: [OutboxService],
    };
  }
}
