import { operationEventsQueue, QueuesModule } from '@app/queues';
import { Module } from '@nestjs/common';
import { AnalyticsConfig } from '../ingest/analytics.config.js';
import { OperationCountsSweeper } from './operation-counts-sweeper.js';
import { OperationEventsConsumer } from './operation-events.consumer.js';

@Module({
  imports: [QueuesModule.register(operationEventsQueue)],
  providers: [AnalyticsConfig, OperationEventsConsumer, OperationCountsSweeper],
})
export class OperationsModule {}
