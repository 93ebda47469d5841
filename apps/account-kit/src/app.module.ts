import { OutboxModule } from '@app/outbox';
import { operationCallbacksQueue, operationEventsQueue, QueuesModule } from '@app/queues';
import { ServiceContext, UpstreamServiceModule } from '@app/service';
import { Module } from '@nestjs/common';
import { ApiModule } from './api/api.module.js';
import { DatabaseModule } from './database/database.module.js';
import { storage } from './database/storage.js';

/** Collects the events of many operations in one job. */
const EVENT_WINDOW_MS = 250;
/** While there are many: who counts them or is called back may wait, and the requests that cause them go on meanwhile. */
const BUSY_EVENT_WINDOW_MS = 1_000;

@Module({
  imports: [
    UpstreamServiceModule,
    DatabaseModule,
    QueuesModule.forRoot(ServiceContext),
    OutboxModule.forRoot({
      schema: storage.schema,
      queues: [operationEventsQueue, operationCallbacksQueue],
      batchWindowMs: EVENT_WINDOW_MS,
      busyWindowMs: BUSY_EVENT_WINDOW_MS,
    }),
    ApiModule,
  ],
})
export class AppModule {}
