import { type Producer, producerToken, type QueueDefinition, QueuesModule } from '@app/queues';
import { type DynamicModule, Module } from '@nestjs/common';
import { OutboxBell } from './outbox-bell.js';
import { OutboxMetrics } from './outbox-metrics.js';
import { OUTBOX_QUEUES, type OutboxQueue } from './outbox-queue.js';
import { OutboxRows } from './outbox-rows.js';
import { OUTBOX_SETTINGS, type OutboxSettings } from './outbox-settings.js';
import { OutboxConfig } from './outbox.config.js';
import { Outbox } from './outbox.js';
import { Relay } from './relay.js';

/** For an app with a database and queues: `Outbox` everywhere, and the relay that empties it. */
@Module({})
export class OutboxModule {
  static forRoot(settings: OutboxSettings): DynamicModule {
    const { queues } = settings;
    return {
      module: OutboxModule,
      global: true,
      imports: queues.map((definition) => QueuesModule.register(definition)),
      providers: [
        { provide: OUTBOX_SETTINGS, useValue: settings },
        {
          provide: OUTBOX_QUEUES,
          inject: queues.map(producerToken),
          useFactory: (...producers: Producer<QueueDefinition>[]): OutboxQueue[] =>
            producers.map((producer) => ({ definition: producer.definition, producer })),
        },
        OutboxConfig,
        OutboxBell,
        OutboxRows,
        OutboxMetrics,
        Outbox,
        Relay,
      ],
      exports: [Outbox],
    };
  }
}
