import { communityEventsQueue, operationEventsQueue, QueueReadinessCheck, QueuesModule } from '@app/queues';
import { ServiceContext, UpstreamServiceModule } from '@app/service';
import { Module } from '@nestjs/common';
import { TokenGatingClientConfig } from './clients/token-gating-client.config.js';
import { TokenGatingClient } from './clients/token-gating-client.js';
import { DatabaseModule } from './database/database.module.js';
import { ErasureSweeper } from './erasure/erasure-sweeper.js';
import { CommunityEventController } from './events-export/community-event.controller.js';
import { EventsExportService } from './events-export/events-export.service.js';
import { AnalyticsConfig } from './ingest/analytics.config.js';
import { CommunityEventsConsumer } from './ingest/community-events.consumer.js';
import { DeletedCommunitiesSweeper } from './ingest/deleted-communities-sweeper.js';
import { EventIngestService, IngestMetrics } from './ingest/event-ingest.service.js';
import { EventPartitionsSweeper } from './ingest/event-partitions-sweeper.js';
import { UnpartitionedEventsSweeper } from './ingest/unpartitioned-events-sweeper.js';
import { OperationCountsSweeper } from './operations/operation-counts-sweeper.js';
import { OperationEventsConsumer } from './operations/operation-events.consumer.js';
import {
  ReconciliationMetrics,
  ReconciliationSweeper,
  RepairService,
} from './reconciliation/reconciliation-sweeper.js';
import { AnalyticsController, DataUntilInterceptor } from './reports/analytics.controller.js';
import { DataUntilService } from './reports/data-until.service.js';
import { InternalReportsController } from './reports/internal-reports.controller.js';
import { ReportAccessService } from './reports/report-access.service.js';
import { ReportsService } from './reports/reports.service.js';

@Module({
  imports: [
    UpstreamServiceModule,
    DatabaseModule,
    QueuesModule.forRoot(ServiceContext),
    QueuesModule.register(communityEventsQueue),
    QueuesModule.register(operationEventsQueue),
  ],
  controllers: [AnalyticsController, InternalReportsController, CommunityEventController],
  providers: [
    AnalyticsConfig,
    QueueReadinessCheck,
    TokenGatingClientConfig,
    TokenGatingClient,
    IngestMetrics,
    EventIngestService,
    CommunityEventsConsumer,
    DeletedCommunitiesSweeper,
    EventPartitionsSweeper,
    UnpartitionedEventsSweeper,
    OperationEventsConsumer,
    OperationCountsSweeper,
    ReportAccessService,
    ReportsService,
    DataUntilInterceptor,
    DataUntilService,
    EventsExportService,
    ReconciliationMetrics,
    RepairService,
    ReconciliationSweeper,
    ErasureSweeper,
  ],
})
export class AppModule {}
