import { Module } from '@nestjs/common';
import { UpstreamServiceModule } from '@app/service';
import { AnalyticsModule } from './analytics/analytics.module.js';

@Module({ imports: [UpstreamServiceModule, AnalyticsModule] })
export class AppModule {}
