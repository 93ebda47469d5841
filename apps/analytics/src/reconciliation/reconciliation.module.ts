import { Module } from '@nestjs/common';
import { TokenGatingClientConfig } from '../clients/token-gating-client.config.js';
import { TokenGatingClient } from '../clients/token-gating-client.js';
import { AnalyticsConfig } from '../ingest/analytics.config.js';
import { ReconciliationMetrics, ReconciliationSweeper, RepairService } from './reconciliation-sweeper.js';

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
