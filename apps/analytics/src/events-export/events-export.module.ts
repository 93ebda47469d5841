import { Module } from '@nestjs/common';
import { AnalyticsModule } from '../reports/analytics.module.js';
import { CommunityEventController } from './community-event.controller.js';
import { EventsExportService } from './events-export.service.js';

@Module({
  imports: [AnalyticsModule],
  controllers: [CommunityEventController],
  providers: [EventsExportService],
})
export class EventsExportModule {}
