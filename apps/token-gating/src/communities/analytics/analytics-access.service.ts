import { Database } from '@app/database';
import type { AnalyticsAccessRequest, AnalyticsAccessResponse } from '@app/dto';
import { Injectable } from '@nestjs/common';
import { findMembership } from '../access/communities.queries.js';
import { canView } from '../access/membership.js';
import { loadRoles } from '../roles/community-roles.queries.js';

/** Decides who may read the analytics of a community: its administrators, and attached client applications. */
@Injectable()
export class AnalyticsAccessService {
  constructor(private readonly database: Database) {}

  async check({ communityId, userId, clientId }: AnalyticsAccessRequest): Promise<AnalyticsAccessResponse> {
    const viewer = { userId: userId ?? null, clientId: clientId ?? null };
    const community = await findMembership(this.database, viewer, communityId);
    if (!community || !canView(community, community)) return { outcome: 'community_not_found' };
    if (userId !== undefined && !community.isAdministrator) return { outcome: 'administrator_required' };
    if (userId === undefined && !community.isAttachedClient) return { outcome: 'client_not_attached' };
    const roles = await loadRoles(this.database, [communityId]);
    return { outcome: 'granted', roles: roles.get(communityId) ?? [] };
  }
}
