import { createBatcher, type BatcherOptions } from '@app/common';
import { Database } from '@app/database';
import { Injectable } from '@nestjs/common';
import { z } from 'zod';
import { createDeliveryId } from '../../callbacks/delivery.js';
import { AsyncCheckConfig } from './async-check.config.js';
import {
  type CheckResult,
  type FinishedCheck,
  finishedCheck,
  type PendingCheck,
  pendingCheck,
} from './async-check.js';

const LOAD = `
  SELECT id, client_id AS "clientId", asker_user_id AS "askerUserId", request, created_at AS "createdAt" FROM token_gating.checks
  WHERE id = ANY($1::uuid[]) AND result IS NULL`;

/**
 * The fence: of all workers that ran a check, one finds it unfinished and writes the result, and with it, in the same
 * statement, the delivery. Nobody else's result has any effect.
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

/** It is kept from the last attempt on: one that follows soon need not write the row again. */
const FOR_THE_FIRST_ATTEMPT = '1 minute';

/** Nobody waits for one check as one waits for an answer, and statements cost more than their rows. */
const PATIENT: BatcherOptions = { batchWindowMs: 8 };

interface Finding {
  id: string;
  result: CheckResult;
}

/** The rows of the checks that this worker runs, read and written many at a time. */
@Injectable()
export class RunningCheckRepository {
  private readonly loader = createBatcher((ids: readonly string[]) => this.loadAll(ids), PATIENT);
  private readonly finisher = createBatcher(
    (findings: readonly Finding[]) => this.finishAll(findings),
    PATIENT,
  );

  constructor(
    private readonly database: Database,
    private readonly config: AsyncCheckConfig,
  ) {}

  /** Undefined when the check is finished or gone. */
  load(id: string): Promise<PendingCheck | undefined> {
    return this.loader.load(id);
  }

  /** Undefined when somebody else has finished it. */
  finish(id: string, result: CheckResult): Promise<FinishedCheck | undefined> {
    return this.finisher.load({ id, result });
  }

  /** Tells the sweeper not to miss its job before then. */
  async postpone(id: string, delayMs: number): Promise<void> {
    await this.database.query(POSTPONE, [id, delayMs + this.config.SWEEP_AFTER_MS]);
  }

  private async loadAll(ids: readonly string[]): Promise<(PendingCheck | undefined)[]> {
    const rows = z.array(pendingCheck).parse(await this.database.query(LOAD, [ids]));
    const byId = new Map(rows.map((row) => [row.id, row]));
    return ids.map((id) => byId.get(id));
  }

  private async finishAll(findings: readonly Finding[]): Promise<(FinishedCheck | undefined)[]> {
    const columns = [
      findings.map(({ id }) => id),
      findings.map(({ result }) => JSON.stringify(result)),
      findings.map(() => createDeliveryId()),
    ];
    const rows = await this.database.query(FINISH, [
      ...columns,
      this.config.CHECK_RETENTION_MS,
      FOR_THE_FIRST_ATTEMPT,
    ]);
    const byId = new Map(
      z
        .array(finishedCheck)
        .parse(rows)
        .map((row) => [row.id, row]),
    );
    return findings.map(({ id }) => {
      const row = byId.get(id);
      byId.delete(id);
      return row;
    });
  }
}
