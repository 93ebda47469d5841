import { Module } from '@nestjs/common';
import { PlanUsage } from './plan-usage.js';
import { PlanUsageConfig } from './plan-usage.config.js';

@Module({ providers: [PlanUsageConfig, PlanUsage], exports: [PlanUsage] })
export class PlanUsageModule {}
