import { Module } from '@nestjs/common';
import { PrincipalVerifierModule } from '@app/service';
import { ConfigModule } from './config.module.js';
import { DocumentController, PublicDocumentProvider } from './document/document.controller.js';
import { PageController } from './pages/page.controller.js';
import { ForwardController } from './pipeline/forward.controller.js';
import { PipelineModule } from './pipeline/pipeline.module.js';
import { PlanReportController } from './usage/plan-report.controller.js';
import { PlanReportService } from './usage/plan-report.service.js';
import { PlanUsageController } from './usage/plan-usage.controller.js';
import { PlanUsageService } from './usage/plan-usage.service.js';

@Module({
  imports: [ConfigModule, PipelineModule, PrincipalVerifierModule],
  // Express tries routes in this order, so the catch-all ForwardController comes last.
  controllers: [
    DocumentController,
    PlanUsageController,
    PlanReportController,
    PageController,
    ForwardController,
  ],
  providers: [PublicDocumentProvider, PlanUsageService, PlanReportService],
})
export class AppModule {}
