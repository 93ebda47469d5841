import type { Principal } from '@app/auth';
import { Injectable } from '@nestjs/common';
import { CommunityAccess } from '../communities/access/community-access.js';
import { administratorsOnly } from '../communities/access/community.errors.js';
import { runs } from '../communities/access/standing.js';

/** Checks are for those who run a community: its administrators and attached client applications. */
@Injectable()
export class BalanceCheckAccess {
  constructor(private readonly communities: CommunityAccess) {}

  /** @throws AppError 404 to whom the community is not shown, 403 to others who do not run it */
  async mayRequest(principal: Principal, communityId: string): Promise<void> {
    const community = await this.communities.see(principal, communityId);
    if (!runs(community)) throw administratorsOnly();
  }

  /** @throws AppError 404 to everybody else */
  async mayLookUp(principal: Principal, communityId: string): Promise<void> {
    await this.communities.inspect(principal, communityId);
  }
}
