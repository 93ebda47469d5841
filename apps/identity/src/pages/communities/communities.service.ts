import type {
  AdministratedCommunitiesResponse,
  AnalyticsReportFormat,
  AnalyticsReportName,
  AnalyticsReportPeriod,
} from '@app/dto';
import { Injectable } from '@nestjs/common';
import { AnalyticsClient } from '../../clients/analytics-client.js';
import { TokenGatingClient } from '../../clients/token-gating-client.js';
import {
  administratorRequired,
  communitiesUnavailable,
  communityNotFound,
  reportUnavailable,
  toReportError,
} from './communities.errors.js';

export interface PortalReportRequest {
  readonly userId: string;
  readonly communityId: string;
  readonly report: AnalyticsReportName;
  readonly format: AnalyticsReportFormat;
  readonly period: AnalyticsReportPeriod;
}

export interface PortalReport {
  readonly text: string;
  /** Absent as long as analytics does not know. */
  readonly dataUntil?: string | undefined;
}

/** Communities and their reports for signed-in users: token-gating and analytics decide what a user may read. */
@Injectable()
export class CommunitiesService {
  constructor(
    private readonly tokenGating: TokenGatingClient,
    private readonly analytics: AnalyticsClient,
  ) {}

  /** The communities that a user administers. @throws AppError 503 */
  list(userId: string): Promise<AdministratedCommunitiesResponse> {
    return this.tokenGating.listAdministratedCommunities({ userId }).catch((error: unknown) => {
      throw communitiesUnavailable(error);
    });
  }

  /** The name of a community that the user administers. @throws AppError 403, 404 or 503 */
  async loadName(userId: string, communityId: string): Promise<string> {
    const access = await this.tokenGating
      .checkAnalyticsAccess({ userId, communityId })
      .catch((error: unknown) => {
        throw communitiesUnavailable(error);
      });
    if (access.outcome === 'community_not_found') throw communityNotFound();
    if (access.outcome !== 'granted') throw administratorRequired();
    return access.name ?? communityId;
  }

  /** A report as the public operation sends it. @throws AppError 400, 403, 404 or 503 */
  async loadReport({ period, ...request }: PortalReportRequest): Promise<PortalReport> {
    const response = await this.analytics.loadReport({ ...request, ...period }).catch((error: unknown) => {
      throw reportUnavailable(error);
    });
    if (response.outcome !== 'loaded') throw toReportError(response);
    return response;
  }
}
