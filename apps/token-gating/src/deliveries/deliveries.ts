import { Database } from '@app/database';
import { Injectable } from '@nestjs/common';
import { z } from 'zod';
import { newDeliveryId } from '../callbacks/delivery-id.js';
import { AsyncCheckConfig } from '../async-checks/async-check.config.js';
import { type AttemptRecord, type ClaimedDelivery, claimedDelivery, type NextStep } from './delivery.js';

const URL_OF = `
  SELECT url FROM token_gating.deliveries WHERE id = $1 AND state = 'pending' AND next_attempt_at <= now()`;

/**
 * Takes one attempt on. While it is under way the next one is not due, so that a second worker that has the same job
 * finds nothing to do; one that died comes due again.
 */
const CLAIM = `
  UPDATE token_gating.deliveries AS d
  SET attempts = d.attempts + 1, next_attempt_at = now() + $2 * interval '1 ms'
  FROM token_gating.checks AS c
  WHERE d.id = $1 AND d.state = 'pending' AND d.next_attempt_at <= now() AND c.id = d.check_id
  RETURNING d.id, d.attempts AS attempt, d.url, c.id AS "requestId", c.client_id AS "clientId", c.result`;

/** One statement: the record of the attempt, the delivery's next step, and how long its check is kept. */
const RECORD = `
  WITH attempt AS (
    INSERT INTO token_gating.delivery_attempts (delivery_id, attempt, started_at, milliseconds, status, failure)
    VALUES ($1, $2, $3, $4, $5, $6)
  ), delivery AS (
    UPDATE token_gating.deliveries
    SET state = $7, next_attempt_at = now() + $8 * interval '1 ms'
    WHERE id = $1 AND attempts = $2 AND state = 'pending'
    RETURNING check_id
  )
  UPDATE token_gating.checks AS c
  SET expires_at = now() + ($8 + $9) * interval '1 ms'
  FROM delivery WHERE c.id = delivery.check_id`;

const REDELIVER = `
  INSERT INTO token_gating.deliveries (id, check_id, url, next_attempt_at)
  SELECT $1, id, callback_url, now() FROM token_gating.checks
  WHERE id = $2 AND client_id = $3 AND result IS NOT NULL AND callback_url IS NOT NULL
  RETURNING id`;

/** Longer than an attempt may take. */
const CLAIM_MS = 30_000;

/** Callbacks to send, in PostgreSQL. */
@Injectable()
export class Deliveries {
  constructor(
    private readonly database: Database,
    private readonly config: AsyncCheckConfig,
  ) {}

  /** Where a delivery goes that is due; undefined when there is nothing to do for it. */
  async urlOf(id: string): Promise<string | undefined> {
    const rows = await this.database.query(URL_OF, [id]);
    return z.array(z.object({ url: z.string() })).parse(rows)[0]?.url;
  }

  /** Undefined when it is delivered, given up, not due yet, or another worker's. */
  async claim(id: string): Promise<ClaimedDelivery | undefined> {
    const rows = await this.database.query(CLAIM, [id, CLAIM_MS]);
    return z.array(claimedDelivery).parse(rows)[0];
  }

  async record({ id, attempt }: ClaimedDelivery, record: AttemptRecord, next: NextStep): Promise<void> {
    const { startedAt, milliseconds, status, failure } = record;
    const delayMs = next.state === 'pending' ? next.delayMs : 0;
    await this.database.query(RECORD, [
      id,
      attempt,
      startedAt,
      Math.round(milliseconds),
      status,
      failure,
      next.state,
      delayMs,
      this.config.CHECK_RETENTION_MS,
    ]);
  }

  /** A delivery of its own, with an id of its own: undefined when there is no result of this client's with a callback. */
  async redeliver(requestId: string, clientId: string): Promise<string | undefined> {
    const rows = await this.database.query(REDELIVER, [newDeliveryId(), requestId, clientId]);
    return z.array(z.object({ id: z.string() })).parse(rows)[0]?.id;
  }
}
