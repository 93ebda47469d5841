import { randomUUID } from 'node:crypto';
import type { Principal } from '@app/auth';
import { Database } from '@app/database';
import { balanceChecksQueue, InjectProducer, type Producer } from '@app/queues';
import { ServiceContext } from '@app/service';
import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { SweepConfig } from '../../database/sweep.config.js';
import { communityNotFound } from '../../communities/access/community.errors.js';
import { BalanceCheckAccessService } from './balance-checks.service.js';
import { BalanceCheckConfig } from './balance-check.config.js';
import { balanceCheckTooSoon } from './balance-check.errors.js';
import type { BalanceCheck } from './balance-check.dto.js';
import { findCooldown, findUnfinishedBalanceCheck, insertBalanceCheck } from './balance-checks.queries.js';

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
      await this.access.checkCanRequest(principal, communityId, manager);
      const running = await findUnfinishedBalanceCheck(manager, communityId);
      if (running) return { check: running, isNew: false };
      await this.checkCooldown(manager, communityId);
      return { check: await this.insert(manager, communityId), isNew: true };
    });
    if (isNew) this.enqueue(check.id);
    return check;
  }

  private async checkCooldown(manager: EntityManager, communityId: string): Promise<void> {
    const seconds = await findCooldown(manager, communityId, this.config.BALANCE_CHECK_COOLDOWN_MS);
    if (seconds !== undefined) throw balanceCheckTooSoon(Math.max(1, seconds));
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
