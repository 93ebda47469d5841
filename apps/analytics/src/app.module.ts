import { Database, createDatabaseProvider, ServiceDatabaseConfig } from '@app/database';
import { ServiceContext, UpstreamServiceModule } from '@app/service';
import { Global, Module } from '@nestjs/common';
import { storage } from './database/storage.js';
import { communityEventsQueue, operationEventsQueue, QueueReadinessCheck, QueuesModule } from '@app/queues';
import { TokenGatingClientConfig, TokenGatingClient } from './clients/token-gating-client.js';
import { ErasureSweeper } from './erasure/erasure-sweeper.js';
import { CommunityEventController } from './events-export/community-event.controller.js';
import { EventsExportService } from './events-export/events-export.service.js';
import { AnalyticsConfig } from './ingest/analytics.config.js';
import { CommunityEventsConsumer, EventIngestService, IngestMetrics } from './ingest/event-ingest.service.js';
import { DeletedCommunitiesSweeper } from './ingest/deleted-communities-sweeper.js';
import { EventPartitionsSweeper, UnpartitionedEventsSweeper } from './ingest/event-partitions-sweeper.js';
import { OperationCountsSweeper, OperationEventsConsumer } from './operations/operation-events.consumer.js';
import {
  ReconciliationMetrics,
  ReconciliationSweeper,
  RepairService,
} from './reconciliation/reconciliation-sweeper.js';
import { AnalyticsController, DataUntilInterceptor } from './reports/analytics.controller.js';
import { DataUntilService, ReportsService } from './reports/reports.service.js';
import { InternalReportsController } from './reports/internal-reports.controller.js';
import { ReportAccessService } from './reports/report-access.service.js';

@Global()
@Module({
  providers: [
    ServiceDatabaseConfig,
    createDatabaseProvider({ definition: storage, config: ServiceDatabaseConfig, context: ServiceContext }),
  ],
  exports: [Database],
})
class DatabaseModule {}

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
