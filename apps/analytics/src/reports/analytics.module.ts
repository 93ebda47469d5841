import { Module } from '@nestjs/common';
import { TokenGatingClientConfig } from '../clients/token-gating-client.config.js';
import { TokenGatingClient } from '../clients/token-gating-client.js';
import { AnalyticsController, DataUntilInterceptor } from './analytics.controller.js';
import { DataUntilService } from './data-until.service.js';
import { InternalReportsController } from './internal-reports.controller.js';
import { ReportAccessService } from './report-access.service.js';
import { ReportsService } from './reports.service.js';

@Module({
  controllers: [AnalyticsController, InternalReportsController],
  providers: [
    TokenGatingClientConfig,
    TokenGatingClient,
    ReportAccessService,
    ReportsService,
    DataUntilInterceptor,
    DataUntilService,
  ],
  exports: [ReportAccessService],
})
export class AnalyticsModule {}
