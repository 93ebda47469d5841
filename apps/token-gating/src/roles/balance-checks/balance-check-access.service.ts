import type { Principal } from '@app/auth';
import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { CommunityAccessService } from '../../communities/access/community-access.service.js';
import { administratorsOnly } from '../../communities/access/community.errors.js';
import { canManage } from '../../communities/access/membership.js';

/** Allows administrators and attached client applications to request and see balance checks. */
@Injectable()
export class BalanceCheckAccessService {
  constructor(private readonly communities: CommunityAccessService) {}

  /**
   * Locks the community, which serializes requests with each other and with changes of its rules.
   * @throws AppError 404 where the principal may not see the community, 403 where they may not manage it
   */
  async checkCanRequest(principal: Principal, communityId: string, manager: EntityManager): Promise<void> {
    const community = await this.communities.requireViewer(principal, communityId, manager);
    if (!canManage(community)) throw administratorsOnly();
  }

  /** @throws AppError 404 where the principal may not manage the community */
  async checkCanView(principal: Principal, communityId: string): Promise<void> {
    await this.communities.requireManager(principal, communityId);
  }
}
