import { QueueReadinessCheck, QueuesModule } from '@app/queues';
import { ServiceContext, UpstreamServiceModule } from '@app/service';
import { Module } from '@nestjs/common';
import { AnalyticsModule } from './reports/analytics.module.js';
import { EventsExportModule } from './events-export/events-export.module.js';
import { IngestModule } from './ingest/ingest.module.js';
import { ErasureModule } from './erasure/erasure.module.js';
import { ReconciliationModule } from './reconciliation/reconciliation.module.js';
import { OperationsModule } from './operations/operations.module.js';
import { DatabaseModule } from './database/database.module.js';

@Module({
  imports: [
    UpstreamServiceModule,
    DatabaseModule,
    QueuesModule.forRoot(ServiceContext),
    IngestModule,
    OperationsModule,
    AnalyticsModule,
    EventsExportModule,
    ReconciliationModule,
    ErasureModule,
  ],
  providers: [QueueReadinessCheck],
})
export class AppModule {}
