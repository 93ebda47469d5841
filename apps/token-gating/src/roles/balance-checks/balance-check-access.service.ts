import type { Principal } from '@app/auth';
import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { CommunityAccessService } from '../../communities/access/community-access.service.js';
import { administratorsOnly } from '../../communities/access/community.errors.js';
import { canManage } from '../../communities/access/membership.js';

/** Checks are for those who run a community: its administrators and attached client applications. */
@Injectable()
export class BalanceCheckAccessService {
  constructor(private readonly communities: CommunityAccessService) {}

  /**
   * Locks the community: requests come one after another, and none while its rules change.
   * @throws AppError 404 to whom the community is not shown, 403 to others who do not run it
   */
  async checkCanRequest(principal: Principal, communityId: string, manager: EntityManager): Promise<void> {
    const community = await this.communities.requireViewer(principal, communityId, manager);
    if (!canManage(community)) throw administratorsOnly();
  }

  /** @throws AppError 404 to everybody else */
  async checkCanView(principal: Principal, communityId: string): Promise<void> {
    await this.communities.requireManager(principal, communityId);
  }
}
