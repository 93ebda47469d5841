import { Database, queryRows } from '@app/database';
import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { z } from 'zod';
import { SweepConfig } from '../../../database/sweep.config.js';
import { lockAssignmentsShared } from '../../../communities/roles/role-assignment-lock.js';
import { type MemberCursor, type RunningBalanceCheck, runningBalanceCheck } from './running-balance-check.js';

const LOAD = `
  SELECT b.id, b.community_id AS "communityId", b.rules_revision AS "rulesRevision",
    c.rules_revision AS "currentRevision", c.rules, b.started_at::text AS "startedAt",
    b.after_joined_at::text AS "afterJoinedAt", b.after_user_id AS "afterUserId", b.turn, b.retries
  FROM token_gating.balance_checks b JOIN token_gating.communities c ON c.id = b.community_id
  WHERE b.id = $1 AND b.state = 'running'`;

/** From the first member on, with the rules of now. What has changed so far has changed. */
const RESTART = `
  UPDATE token_gating.balance_checks b
  SET rules_revision = c.rules_revision, total = c.member_count, done = 0, failed = 0, retries = 0,
    has_given_up = false, after_joined_at = NULL, after_user_id = NULL, started_at = clock_timestamp(),
    turn = b.turn + 1, next_run_at = clock_timestamp() + $4 * interval '1 ms'
  FROM token_gating.communities c
  WHERE c.id = b.community_id AND b.id = $1 AND b.state = 'running' AND b.rules_revision = $2 AND b.turn = $3
    AND c.rules_revision <> $2
  RETURNING b.id`;

/** The fence: the check stands where the turn that wants to move it has found it. $1 to $5. */
const FENCE = `id = $1 AND state = 'running' AND rules_revision = $2 AND turn = $3
  AND after_joined_at IS NOT DISTINCT FROM $4::timestamptz AND after_user_id IS NOT DISTINCT FROM $5`;

const ADVANCE = `
  UPDATE token_gating.balance_checks
  SET done = done + $6, changed = changed + $7, failed = failed + $8,
    after_joined_at = coalesce($9::timestamptz, after_joined_at), after_user_id = coalesce($10, after_user_id),
    retries = greatest(0, retries - CASE WHEN $11 THEN 0 ELSE 1 END), has_given_up = has_given_up OR $11,
    turn = turn + CASE WHEN $12 THEN 1 ELSE 0 END,
    state = CASE WHEN $13 THEN 'done' ELSE state END,
    finished_at = CASE WHEN $13 THEN clock_timestamp() END,
    next_run_at = clock_timestamp() + $14 * interval '1 ms'
  WHERE ${FENCE} RETURNING id`;

const POSTPONE = `
  UPDATE token_gating.balance_checks
  SET retries = retries + $6, next_run_at = clock_timestamp() + $7 * interval '1 ms' WHERE ${FENCE}`;

/** Not once there are other rules: nobody else would begin again with them. */
const ABORT = `
  UPDATE token_gating.balance_checks
  SET state = 'done', finished_at = clock_timestamp(),
    failed = failed + greatest(0, total - done), done = greatest(total, done)
  WHERE ${FENCE} AND EXISTS (
    SELECT FROM token_gating.communities WHERE id = community_id AND rules_revision = $2)`;

/** Nodes were away for long: what they could not tell is asked again before the whole interval is over. */
const SCHEDULE_EARLIER = `
  UPDATE token_gating.communities c SET next_check_at = now() + (c.next_check_at - now()) / 4
  FROM token_gating.balance_checks b
  WHERE b.id = $1 AND b.has_given_up AND c.id = b.community_id AND c.next_check_at > now()`;

/** What was found of a page of members. */
export interface PageProgress {
  readonly members: number;
  readonly changed: number;
  readonly failed: number;
  /** The last member of the page. */
  readonly end: MemberCursor | undefined;
  /** Nodes did not answer, and were not waited for any longer. */
  readonly isGivenUp: boolean;
  readonly endsTurn: boolean;
  readonly endsCheck: boolean;
}

/** The rows of checks that run. */
@Injectable()
export class RunningBalanceCheckRepository {
  constructor(
    private readonly database: Database,
    private readonly sweeping: SweepConfig,
  ) {}

  /** Undefined when it is finished or gone. */
  async load(id: string): Promise<RunningBalanceCheck | undefined> {
    return z.array(runningBalanceCheck).parse(await this.database.query(LOAD, [id]))[0];
  }

  /** For new rules, in the next turn. @returns false when there is nothing to begin again */
  async restart({ id, rulesRevision, turn }: RunningBalanceCheck): Promise<boolean> {
    const parameters = [id, rulesRevision, turn, this.sweeping.SWEEP_AFTER_MS];
    return (await this.database.query(RESTART, parameters)).length > 0;
  }

  /** Within the transaction of what was found. @returns false when somebody else was faster */
  async advance(
    manager: EntityManager,
    check: RunningBalanceCheck,
    progress: PageProgress,
  ): Promise<boolean> {
    const { members, changed, failed, end, isGivenUp, endsTurn, endsCheck } = progress;
    const advanced = await queryRows(manager, ADVANCE, [
      ...toFenceParameters(check),
      members,
      changed,
      failed,
      end?.joinedAt ?? null,
      end?.userId ?? null,
      isGivenUp,
      endsTurn,
      endsCheck,
      this.sweeping.SWEEP_AFTER_MS,
    ]);
    return advanced.length > 0;
  }

  /** Tells the sweeper not to miss its job before then. @param spends whether it counts as a try */
  async postpone(check: RunningBalanceCheck, delayMs: number, spends: boolean): Promise<void> {
    const parameters = [spends ? 1 : 0, delayMs + this.sweeping.SWEEP_AFTER_MS];
    await this.database.query(POSTPONE, [...toFenceParameters(check), ...parameters]);
  }

  /** When a check is done. */
  async scheduleEarlierAfterFailures({ id }: RunningBalanceCheck): Promise<void> {
    await this.database.query(SCHEDULE_EARLIER, [id]);
  }

  /** Who was not looked at counts as failed. */
  async abort(check: RunningBalanceCheck): Promise<void> {
    await this.database.transaction(async (manager) => {
      await lockAssignmentsShared(manager, check.communityId);
      await queryRows(manager, ABORT, toFenceParameters(check));
    });
  }
}

const toFenceParameters = ({ id, rulesRevision, turn, after }: RunningBalanceCheck): unknown[] => [
  id,
  rulesRevision,
  turn,
  after?.joinedAt ?? null,
  after?.userId ?? null,
];
