import { randomUUID } from 'node:crypto';
import type { Principal } from '@app/auth';
import { Database, queryRows } from '@app/database';
import { balanceChecksQueue, InjectProducer, type Producer } from '@app/queues';
import { ServiceContext } from '@app/service';
import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { z } from 'zod';
import { SweepConfig } from '../../database/sweep.config.js';
import { communityNotFound } from '../../communities/access/community.errors.js';
import { BalanceCheckAccessService } from './balance-check-access.service.js';
import { BALANCE_CHECK_COLUMNS, balanceCheckRecord } from './balance-check-record.js';
import { BalanceCheckConfig } from './balance-check.config.js';
import type { BalanceCheck } from './balance-check.dto.js';
import { balanceCheckTooSoon } from './balance-check.errors.js';

const RUNNING = `
  SELECT ${BALANCE_CHECK_COLUMNS} FROM token_gating.balance_checks WHERE community_id = $1 AND state = 'running'`;

const SECONDS_LEFT = `
  SELECT ceil(extract(epoch FROM created_at - clock_timestamp()) + $2::float8 / 1000)::int AS seconds
  FROM token_gating.balance_checks
  WHERE community_id = $1 AND reason = 'requested' AND created_at > clock_timestamp() - $2 * interval '1 ms'
  ORDER BY created_at DESC LIMIT 1`;

const INSERT = `
  INSERT INTO token_gating.balance_checks (id, community_id, reason, rules_revision, total, next_run_at)
  SELECT $2, id, 'requested', rules_revision, member_count, clock_timestamp() + $3 * interval '1 ms'
  FROM token_gating.communities WHERE id = $1
  RETURNING ${BALANCE_CHECK_COLUMNS}`;

const records = z.array(balanceCheckRecord);
const waits = z.array(z.object({ seconds: z.int() }));

/** Has all members of a community checked now: first a row, which is the promise, then a job, which may get lost. */
@Injectable()
export class RequestBalanceCheckService {
  constructor(
    private readonly access: BalanceCheckAccessService,
    private readonly database: Database,
    private readonly config: BalanceCheckConfig,
    private readonly sweeping: SweepConfig,
    @InjectProducer(balanceChecksQueue) private readonly producer: Producer<typeof balanceChecksQueue>,
    private readonly context: ServiceContext,
  ) {}

  /** @returns the check that runs already, if there is one */
  async request(principal: Principal, communityId: string): Promise<BalanceCheck> {
    const { check, isNew } = await this.database.transaction(async (manager) => {
      await this.access.checkCanRequest(principal, communityId, manager);
      const [running] = records.parse(await queryRows(manager, RUNNING, [communityId]));
      if (running) return { check: running, isNew: false };
      await this.checkCooldown(manager, communityId);
      return { check: await this.insert(manager, communityId), isNew: true };
    });
    if (isNew) this.enqueue(check.id);
    return check;
  }

  private async checkCooldown(manager: EntityManager, communityId: string): Promise<void> {
    const { BALANCE_CHECK_COOLDOWN_MS } = this.config;
    const rows = await queryRows(manager, SECONDS_LEFT, [communityId, BALANCE_CHECK_COOLDOWN_MS]);
    const [wait] = waits.parse(rows);
    if (wait) throw balanceCheckTooSoon(Math.max(1, wait.seconds));
  }

  private async insert(manager: EntityManager, communityId: string): Promise<BalanceCheck> {
    const parameters = [communityId, randomUUID(), this.sweeping.SWEEP_AFTER_MS];
    const [check] = records.parse(await queryRows(manager, INSERT, parameters));
    if (!check) throw communityNotFound();
    return check;
  }

  /** Nobody waits for it: the sweeper finds a row whose job did not arrive. */
  private enqueue(checkId: string): void {
    this.producer.enqueue({ version: 1, checkId, turn: 0 }).catch((error: unknown) => {
      this.context.logger.warn({ err: error, checkId }, 'not enqueued, left to the sweeper');
    });
  }
}
