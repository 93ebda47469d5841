import { createBatcher, type BatcherOptions } from '@app/common';
import { Database } from '@app/database';
import { Injectable } from '@nestjs/common';
import { z } from 'zod';
import { CallbackConfig } from '../../callbacks/callback.config.js';
import { createDeliveryId } from '../../callbacks/delivery.js';
import { SweepConfig } from '../../database/sweep.config.js';
import type { CheckResult } from '../../rules/check-result.js';
import { type FinishedCheck, finishedCheck, type PendingCheck, pendingCheck } from './async-check.js';

const LOAD = `
  SELECT id, client_id AS "clientId", asker_user_id AS "askerUserId", request, created_at AS "createdAt" FROM token_gating.checks
  WHERE id = ANY($1::uuid[]) AND result IS NULL`;

/**
 * Fences concurrent workers: only the first to finish a check writes its result, and its delivery in the same statement.
 * Later results are discarded.
 */
const FINISH = `
  WITH found AS (
    SELECT * FROM unnest($1::uuid[], $2::text[], $3::text[]) AS found (id, result, delivery_id)
  ), done AS (
    UPDATE token_gating.checks AS c
    SET result = found.result::jsonb, done_at = now(),
        expires_at = now() + $4 * interval '1 ms' + CASE WHEN callback_url IS NULL THEN interval '0' ELSE $5::interval END
    FROM found WHERE c.id = found.id AND c.result IS NULL
    RETURNING c.id, c.client_id, c.result, c.callback_url, c.reply, found.delivery_id
  ), delivery AS (
    INSERT INTO token_gating.deliveries (id, check_id, url, next_attempt_at)
    SELECT delivery_id, id, callback_url, now() FROM done WHERE callback_url IS NOT NULL
  )
  SELECT id, client_id AS "clientId", result, reply,
         CASE WHEN callback_url IS NULL THEN NULL ELSE delivery_id END AS "deliveryId"
  FROM done`;

const POSTPONE = `
  UPDATE token_gating.checks SET next_run_at = now() + $2 * interval '1 ms' WHERE id = $1 AND result IS NULL`;

/** Added to the expiry, so that a first delivery attempt within this time need not extend it. */
const FIRST_ATTEMPT_MARGIN = '1 minute';

/** Trades latency for fewer statements: no HTTP request waits for these. */
const BATCHING: BatcherOptions = { batchWindowMs: 8 };

interface ResultToStore {
  id: string;
  result: CheckResult;
}

/** Rows of the checks that this worker runs, read and written in batches. */
@Injectable()
export class RunningCheckRepository {
  private readonly loader = createBatcher((ids: readonly string[]) => this.loadAll(ids), BATCHING);
  private readonly finisher = createBatcher(
    (results: readonly ResultToStore[]) => this.finishAll(results),
    BATCHING,
  );

  constructor(
    private readonly database: Database,
    private readonly callbackConfig: CallbackConfig,
    private readonly sweepConfig: SweepConfig,
  ) {}

  /** Undefined when the check is finished or deleted. */
  load(id: string): Promise<PendingCheck | undefined> {
    return this.loader.load(id);
  }

  /** Undefined when another worker has finished the check. */
  finish(id: string, result: CheckResult): Promise<FinishedCheck | undefined> {
    return this.finisher.load({ id, result });
  }

  /** Keeps the sweeper from enqueueing the check again before its delayed job has run. */
  async postpone(id: string, delayMs: number): Promise<void> {
    await this.database.query(POSTPONE, [id, delayMs + this.sweepConfig.SWEEP_AFTER_MS]);
  }

  private async loadAll(ids: readonly string[]): Promise<(PendingCheck | undefined)[]> {
    const rows = z.array(pendingCheck).parse(await this.database.query(LOAD, [ids]));
    const byId = new Map(rows.map((row) => [row.id, row]));
    return ids.map((id) => byId.get(id));
  }

  private async finishAll(results: readonly ResultToStore[]): Promise<(FinishedCheck | undefined)[]> {
    const columns = [
      results.map(({ id }) => id),
      results.map(({ result }) => JSON.stringify(result)),
      results.map(() => createDeliveryId()),
    ];
    const rows = await this.database.query(FINISH, [
      ...columns,
      this.callbackConfig.CHECK_RETENTION_MS,
      FIRST_ATTEMPT_MARGIN,
    ]);
    const byId = new Map(
      z
        .array(finishedCheck)
        .parse(rows)
        .map((row) => [row.id, row]),
    );
    return results.map(({ id }) => {
      const row = byId.get(id);
      byId.delete(id);
      return row;
    });
  }
}
