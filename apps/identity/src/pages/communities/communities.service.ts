import {
  type AppError,
  badRequest,
  forbidden,
  notFound,
  RETRY_AFTER_SECONDS,
  serviceUnavailable,
  unauthorized,
} from '@app/common';
import type {
  AnalyticsReportFormat,
  AnalyticsReportName,
  AnalyticsReportPeriod,
  AnalyticsReportRefusal,
} from '@app/dto';
import { Injectable } from '@nestjs/common';
import { AnalyticsClient } from '../../clients/analytics-client.js';
import { TokenGatingClient } from '../../clients/token-gating-client.js';
import type { CommunityListView, JoinedCommunitiesView } from '../views/community-views.js';
import type { Visibility } from './community-api.js';
import { describeMembers } from './community-overview.js';
import { toCommunityPath, toMembershipPath } from './community-tabs.js';
import { VISIBILITIES } from './visibilities.js';

export const signInRequired = () =>
  unauthorized('sign_in_required', 'Your session has ended. Reload the page to sign in again.');

const communitiesUnavailable = (cause: unknown) =>
  serviceUnavailable(
    'communities_unavailable',
    'Communities cannot be looked up at the moment.',
    { retryAfter: RETRY_AFTER_SECONDS.progress },
    { cause },
  );

const reportUnavailable = (cause: unknown) =>
  serviceUnavailable(
    'report_unavailable',
    'This report cannot be loaded at the moment. Try again in a few seconds.',
    { retryAfter: RETRY_AFTER_SECONDS.progress },
    { cause },
  );

const communityNotFound = () =>
  notFound('community_not_found', 'The community does not exist, or you may not see it.');

const administratorRequired = () =>
  forbidden('administrator_required', 'Only administrators of the community may do this.');

/** The error of the public operation. */
function toReportError(refusal: AnalyticsReportRefusal): AppError {
  switch (refusal.outcome) {
    case 'community_not_found':
      return communityNotFound();
    case 'administrator_required':
      return administratorRequired();
    case 'input_invalid': {
      const { issues } = refusal;
      const text = issues.map(({ path, message }) => `${path}: ${message}`).join('; ');
      return badRequest('input_invalid', text, { issues });
    }
  }
}

const describeVisibility = (visibility: string): string =>
  isKnownVisibility(visibility) ? VISIBILITIES[visibility].text : visibility;

const isKnownVisibility = (text: string): text is Visibility => Object.hasOwn(VISIBILITIES, text);

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

  /** The communities that a user administers, and those that the user has joined. @throws AppError 503 */
  async list(userId: string): Promise<Omit<CommunityListView, 'offers'>> {
    const [administrated, joined] = await Promise.all([
      this.tokenGating.listAdministratedCommunities({ userId }),
      this.listJoined(userId),
    ]).catch((error: unknown) => {
      throw communitiesUnavailable(error);
    });
    return {
      run: administrated.communities.map(({ id, name, visibility, isSuspended, isOwner, memberCount }) => ({
        href: toCommunityPath(id),
        name,
        note: isOwner === false ? 'You are an administrator' : 'You own it',
        visibility: describeVisibility(visibility),
        isSuspended,
        members: describeMembers(memberCount),
      })),
      hasMoreRun: administrated.hasMore,
      ...joined,
    };
  }

  /** The communities that a user has joined, with the roles that are stored. @throws AppError 503 */
  async listJoined(userId: string): Promise<JoinedCommunitiesView> {
    const { communities, hasMore } = await this.tokenGating
      .listJoinedCommunities({ userId })
      .catch((error: unknown) => {
        throw communitiesUnavailable(error);
      });
    const joined = communities.map(({ id, name, roles }) => ({
      href: toMembershipPath(id),
      name: name ?? 'A community that its members cannot see',
      roles: roles.length === 0 ? 'No role' : roles.join(', '),
    }));
    return { joined, hasMoreJoined: hasMore };
  }

  /** The communities that a user owns. @throws AppError 503 */
  async listOwnedIds(userId: string): Promise<string[]> {
    const { communities } = await this.tokenGating
      .listAdministratedCommunities({ userId })
      .catch((error: unknown) => {
        throw communitiesUnavailable(error);
      });
    return communities.filter(({ isOwner }) => isOwner !== false).map(({ id }) => id);
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
