import { DAY_MS } from '@app/common';
import { Database } from '@app/database';
import { Injectable } from '@nestjs/common';
import { AnalyticsConfig } from '../ingest/analytics.config.js';
import { ingestEvents } from '../ingest/ingest-events.js';
import { lockKnownCommunity } from '../rollups/communities.queries.js';
import { findRepairs, type ObservedStates, SETTLE_SECONDS } from './find-repairs.js';
import { ReconciliationMetrics } from './reconciliation-metrics.js';
import { findStates } from './reconciliation.queries.js';

/** Repairs the history of some users of a community by what token-gating says. */
@Injectable()
export class RepairService {
  private readonly retentionMs: number;

  constructor(
    private readonly database: Database,
    { ANALYTICS_RETENTION_DAYS }: AnalyticsConfig,
    private readonly metrics: ReconciliationMetrics,
  ) {
    this.retentionMs = ANALYTICS_RETENTION_DAYS * DAY_MS;
  }

  /** Does nothing for a community that is deleted. The events until the time of what was observed must be in. */
  async repair(observed: ObservedStates): Promise<void> {
    const repairs = await this.database.transaction(async (manager) => {
      if (!(await lockKnownCommunity(manager, observed.communityId))) return [];
      const found = findRepairs(observed, await findStates(manager, observed, SETTLE_SECONDS));
      await ingestEvents(manager, found, { retentionMs: this.retentionMs });
      return found;
    });
    this.metrics.recordRepairs(repairs);
  }
}
