import { communityEventsQueue, QueuesModule } from '@app/queues';
import { Module } from '@nestjs/common';
import { AnalyticsConfig } from './analytics.config.js';
import { CommunityEventsConsumer } from './community-events.consumer.js';
import { DeletedCommunitiesSweeper } from './deleted-communities-sweeper.js';
import { EventIngestService, IngestMetrics } from './event-ingest.service.js';
import { EventPartitionsSweeper } from './event-partitions-sweeper.js';
import { UnpartitionedEventsSweeper } from './unpartitioned-events-sweeper.js';

@Module({
  imports: [QueuesModule.register(communityEventsQueue)],
  providers: [
    AnalyticsConfig,
    IngestMetrics,
    EventIngestService,
    CommunityEventsConsumer,
    DeletedCommunitiesSweeper,
    EventPartitionsSweeper,
    UnpartitionedEventsSweeper,
  ],
})
export class IngestModule {}
