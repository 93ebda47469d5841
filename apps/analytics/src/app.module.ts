import { QueueReadiness, QueuesModule } from '@app/queues';
import { ServiceContext, UpstreamServiceModule } from '@app/service';
import { Module } from '@nestjs/common';
import { AnalyticsModule } from './analytics/analytics.module.js';
import { CommunityEventsModule } from './community-events/community-events.module.js';
import { DatabaseModule } from './database/database.module.js';

@Module({
  imports: [
    UpstreamServiceModule,
    DatabaseModule,
    QueuesModule.forRoot(ServiceContext),
    CommunityEventsModule,
    AnalyticsModule,
  ],
  providers: [QueueReadiness],
})
export class AppModule {}
