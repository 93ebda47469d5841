import { Database } from '@app/database';
import {
  type AnalyticsAccessRequest,
  analyticsAccessRequest,
  type AnalyticsAccessResponse,
  analyticsAccessResponse,
} from '@app/dto';
import { InternalController, Returns } from '@app/service';
import { Body, Injectable, Post } from '@nestjs/common';
import { findMembership } from '../access/communities.queries.js';
import { canView } from '../access/membership.js';
import { AttachedClientPlansService } from '../client-applications/attached-client-plans.service.js';
import { loadRoles } from '../roles/community-roles.queries.js';

/** Decides who may read the analytics of a community: its administrators, and attached client applications. */
@Injectable()
export class AnalyticsAccessService {
  constructor(
    private readonly database: Database,
    private readonly plans: AttachedClientPlansService,
  ) {}

  /** @throws AppError 503 while identity is unavailable, only for requests `withWallets` */
  async check(request: AnalyticsAccessRequest): Promise<AnalyticsAccessResponse> {
    const { communityId, userId, clientId, withWallets } = request;
    const viewer = { userId: userId ?? null, clientId: clientId ?? null };
    const community = await findMembership(this.database, viewer, communityId);
    if (!community || !canView(community, community)) return { outcome: 'community_not_found' };
    if (userId !== undefined && !community.isAdministrator) return { outcome: 'administrator_required' };
    if (userId === undefined && !community.isAttachedClient) return { outcome: 'client_not_attached' };
    const roles = await loadRoles(this.database, [communityId]);
    const readsWallets =
      withWallets === true &&
      userId === undefined &&
      clientId !== undefined &&
      (await this.plans.hasScope(clientId, 'user:wallet:read'));
    const { name } = community;
    return { outcome: 'granted', name, roles: roles.get(communityId) ?? [], readsWallets };
  }
}

/** Tells analytics and identity's portal who may read the analytics of a community. */
@InternalController('internal/analytics-access', 'analytics', 'identity')
export class AnalyticsAccessController {
  constructor(private readonly access: AnalyticsAccessService) {}

  @Post()
  @Returns(analyticsAccessResponse)
  check(
    @Body({ schema: analyticsAccessRequest }) request: AnalyticsAccessRequest,
  ): Promise<AnalyticsAccessResponse> {
    return this.access.check(request);
  }
}
