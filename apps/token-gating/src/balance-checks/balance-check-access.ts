import type { Principal } from '@app/auth';
import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { CommunityAccess } from '../communities/access/community-access.js';
import { administratorsOnly } from '../communities/access/community.errors.js';
import { runs } from '../communities/access/standing.js';

/** Checks are for those who run a community: its administrators and attached client applications. */
@Injectable()
export class BalanceCheckAccess {
  constructor(private readonly communities: CommunityAccess) {}

  /**
   * Locks the community: requests come one after another, and none while its rules change.
   * @throws AppError 404 to whom the community is not shown, 403 to others who do not run it
   */
  async mayRequest(principal: Principal, communityId: string, manager: EntityManager): Promise<void> {
    const community = await this.communities.see(principal, communityId, manager);
    if (!runs(community)) throw administratorsOnly();
  }

  /** @throws AppError 404 to everybody else */
  async mayLookUp(principal: Principal, communityId: string): Promise<void> {
    await this.communities.inspect(principal, communityId);
  }
}
