import { MINUTE_MS } from '@app/common';
import { Database } from '@app/database';
import { ServiceContext, Sweeper } from '@app/service';
import { Injectable } from '@nestjs/common';
import { AnalyticsConfig } from '../ingest/analytics.config.js';
import { deleteExpiredOperationCounts } from './operation-counts.queries.js';

const SWEEP_INTERVAL_MS = MINUTE_MS;
const MAX_ROWS = 5_000;

/** Deletes the counts of operations after the retention time, and the ids of counted events. */
@Injectable()
export class OperationCountsSweeper extends Sweeper {
  constructor(
    context: ServiceContext,
    database: Database,
    { ANALYTICS_RETENTION_DAYS: retentionDays }: AnalyticsConfig,
  ) {
    const sweep = () => deleteExpiredOperationCounts(database, { limit: MAX_ROWS, retentionDays });
    super(context, [{ name: 'delete expired counts of operations', sweep }], SWEEP_INTERVAL_MS);
  }
}
