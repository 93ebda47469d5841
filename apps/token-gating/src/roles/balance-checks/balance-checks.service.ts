import type { Principal } from '@app/auth';
import { DAY_MS } from '@app/common';
import { Database } from '@app/database';
import type { PageQuery } from '@app/dto';
import { PaginationService, ServiceContext } from '@app/service';
import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { z } from 'zod';
import { CommunityAccessService } from '../../communities/access/community-access.service.js';
import type { ViewedCommunity } from '../../communities/access/community-record.js';
import { administratorsOnly, communityNotFound } from '../../communities/access/community.errors.js';
import { canManage } from '../../communities/access/membership.js';
import type { BalanceCheck, BalanceCheckPage, BalanceCheckParams } from './balance-check.dto.js';
import { MAX_REQUESTS_A_DAY_WITHOUT_APPLICATION } from '../../communities/without-application/rule-limits.js';
import { balanceCheckNotFound, balanceChecksUsedUp, balanceCheckTooSoon } from './balance-check.errors.js';
import {
  findBalanceCheck,
  listBalanceChecks,
  findCooldown,
  findUnfinishedBalanceCheck,
  insertBalanceCheck,
} from './balance-checks.queries.js';
import { randomUUID } from 'node:crypto';
import { balanceChecksQueue, InjectProducer, type Producer } from '@app/queues';
import { SweepConfig } from '../../database/sweep.config.js';
import { BalanceCheckConfig } from './balance-check.config.js';

/** Allows administrators and attached client applications to request and see balance checks. */
@Injectable()
export class BalanceCheckAccessService {
  constructor(private readonly communities: CommunityAccessService) {}

  /**
   * Locks the community, which serializes requests with each other and with changes of its rules.
   * @throws AppError 404 where the principal may not see the community, 403 where they may not manage it
   */
  async requireRequester(
    principal: Principal,
    communityId: string,
    manager: EntityManager,
  ): Promise<ViewedCommunity> {
    const community = await this.communities.requireViewer(principal, communityId, manager);
    if (!canManage(community)) throw administratorsOnly();
    return community;
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

/** Requests a check of all members of a community: inserts a row, then enqueues a job, which may be lost. */
@Injectable()
export class RequestBalanceCheckService {
  constructor(
    private readonly access: BalanceCheckAccessService,
    private readonly database: Database,
    private readonly config: BalanceCheckConfig,
    private readonly sweepConfig: SweepConfig,
    @InjectProducer(balanceChecksQueue) private readonly producer: Producer<typeof balanceChecksQueue>,
    private readonly context: ServiceContext,
  ) {}

  /** @returns the running check of the community if it has one. @throws AppError 404, 403, or 429 within the cooldown */
  async request(principal: Principal, communityId: string): Promise<BalanceCheck> {
    const { check, isNew } = await this.database.transaction(async (manager) => {
      const { isWithoutApplication } = await this.access.requireRequester(principal, communityId, manager);
      const running = await findUnfinishedBalanceCheck(manager, communityId);
      if (running) return { check: running, isNew: false };
      await this.checkCooldown(manager, communityId);
      if (isWithoutApplication) await this.checkDay(manager, communityId);
      return { check: await this.insert(manager, communityId), isNew: true };
    });
    if (isNew) this.enqueue(check.id);
    return check;
  }

  private async checkCooldown(manager: EntityManager, communityId: string): Promise<void> {
    const seconds = await findCooldown(manager, communityId, this.config.BALANCE_CHECK_COOLDOWN_MS);
    if (seconds !== undefined) throw balanceCheckTooSoon(Math.max(1, seconds));
  }

  /** Checks that are requested without an application take turns with those of all others without one. */
  private async checkDay(manager: EntityManager, communityId: string): Promise<void> {
    const seconds = await findCooldown(manager, communityId, DAY_MS, MAX_REQUESTS_A_DAY_WITHOUT_APPLICATION);
    if (seconds !== undefined) throw balanceChecksUsedUp(Math.max(1, seconds));
  }

  private async insert(manager: EntityManager, communityId: string): Promise<BalanceCheck> {
    const { SWEEP_AFTER_MS } = this.sweepConfig;
    const check = await insertBalanceCheck(manager, randomUUID(), communityId, SWEEP_AFTER_MS);
    if (!check) throw communityNotFound();
    return check;
  }

  /** The job is not awaited: the sweeper enqueues rows whose job was lost. */
  private enqueue(checkId: string): void {
    this.producer.enqueue({ version: 1, checkId, turn: 0 }).catch((error: unknown) => {
      this.context.logger.warn(
        { err: error, checkId },
        'could not enqueue a balance check; the sweeper will',
      );
    });
  }
}
