import type { Principal } from '@app/auth';
import { Database } from '@app/database';
import type { PageQuery } from '@app/dto';
import { PaginationService } from '@app/service';
import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { z } from 'zod';
import { CommunityAccessService } from '../../communities/access/community-access.service.js';
import { administratorsOnly } from '../../communities/access/community.errors.js';
import { canManage } from '../../communities/access/membership.js';
import type { BalanceCheck, BalanceCheckPage, BalanceCheckParams } from './balance-check.dto.js';
import { balanceCheckNotFound } from './balance-check.errors.js';
import { findBalanceCheck, listBalanceChecks } from './balance-checks.queries.js';

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

/** Finds and lists balance checks for administrators and attached client applications. */
@Injectable()
export class BalanceChecksService {
  constructor(
    private readonly access: BalanceCheckAccessService,
    private readonly database: Database,
    private readonly pages: PaginationService,
  ) {}

  /** @throws AppError 404 */
  async find(principal: Principal, { communityId, id }: BalanceCheckParams): Promise<BalanceCheck> {
    await this.access.checkCanView(principal, communityId);
    // PostgreSQL rejects text that is not a UUID instead of finding nothing.
    if (!z.uuid().safeParse(id).success) throw balanceCheckNotFound();
    const check = await findBalanceCheck(this.database, communityId, id);
    if (!check) throw balanceCheckNotFound();
    return check;
  }

  /** Newest first. @throws AppError 404, or 400 for a pagination token of another list */
  async list(principal: Principal, communityId: string, query: PageQuery): Promise<BalanceCheckPage> {
    await this.access.checkCanView(principal, communityId);
    return this.pages.paginate({
      list: `balance-checks/${communityId}`,
      principal,
      query,
      load: (cursor) => listBalanceChecks(this.database, communityId, cursor),
      toSortKey: ({ sortTime, id }) => [sortTime, id],
    });
  }
}
