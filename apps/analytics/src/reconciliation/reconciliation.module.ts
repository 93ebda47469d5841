import { Module } from '@nestjs/common';
import { TokenGatingClientConfig } from '../clients/token-gating-client.config.js';
import { TokenGatingClient } from '../clients/token-gating-client.js';
import { AnalyticsConfig } from '../ingest/analytics.config.js';
import { ReconciliationMetrics } from './reconciliation-metrics.js';
import { ReconciliationSweeper } from './reconciliation-sweeper.js';
import { RepairService } from './repair.service.js';

@Module({
  providers: [
    AnalyticsConfig,
    TokenGatingClientConfig,
    TokenGatingClient,
    ReconciliationMetrics,
    RepairService,
    ReconciliationSweeper,
  ],
})
export class ReconciliationModule {}
