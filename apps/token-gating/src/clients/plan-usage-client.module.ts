import { Module } from '@nestjs/common';
import { PlanUsageClient } from './plan-usage-client.js';
import { PlanUsageClientConfig } from './plan-usage-client.config.js';

@Module({ providers: [PlanUsageClientConfig, PlanUsageClient], exports: [PlanUsageClient] })
export class PlanUsageClientModule {}
