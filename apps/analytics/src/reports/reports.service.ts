import type { Principal } from '@app/auth';
import { Database, type Queryable } from '@app/database';
import { Injectable } from '@nestjs/common';
import { findFirstEventTime } from '../rollups/communities.queries.js';
import { createReportPeriod, type PeriodQuery } from '../time/report-period.js';
import type { AnalyticsFilters } from './analytics.dto.js';
import { ReportAccessService } from './report-access.service.js';
import type { Report } from './reports.js';
import { LRUCache } from 'lru-cache';
import { findDataUntil } from '../ingest/producer-heartbeats.queries.js';

export interface ReportRequest {
  readonly principal: Principal;
  readonly communityId: string;
  readonly query: PeriodQuery;
  readonly filters?: AnalyticsFilters | undefined;
}

/** Loads reports for callers who may read the analytics of the community. */
@Injectable()
export class ReportsService {
  constructor(
    private readonly database: Database,
    private readonly access: ReportAccessService,
  ) {}

  /** @param load what the report holds. @throws AppError 400, 403, 404 or 503 */
  async load<Row>(
    { principal, communityId, query, filters = [] }: ReportRequest,
    load: (db: Queryable, report: Report) => Promise<Row[]>,
  ): Promise<Row[]> {
    const currentRoles = await this.access.require(principal, communityId);
    const firstEventAt =
      query.range === 'all' ? await findFirstEventTime(this.database, communityId) : undefined;
    const period = createReportPeriod(query, { now: Date.now(), firstEventAt: firstEventAt?.getTime() });
    const chosenRoles = filters.length > 0 ? filters : undefined;
    return load(this.database, { communityId, period, currentRoles, chosenRoles });
  }
}

/** Heartbeats come once a minute. */
const CACHE_TTL_MS = 1_000;

/** Knows until when everything that happened is in the rows of reports. */
@Injectable()
export class DataUntilService {
  private readonly cache = new LRUCache<'until', { readonly until: string | undefined }>({
    max: 1,
    ttl: CACHE_TTL_MS,
    fetchMethod: async () => ({ until: await findDataUntil(this.database) }),
  });

  constructor(private readonly database: Database) {}

  /**
   * Loads the time until which the numbers are complete. Call it before the rows are loaded, which then have at least
   * the events up to that time.
   */
  async load(): Promise<string | undefined> {
    return (await this.cache.fetch('until'))?.until;
  }
}
