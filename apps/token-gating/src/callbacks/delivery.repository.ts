import { createBatcher } from '@app/common';
import { Database } from '@app/database';
import { Injectable } from '@nestjs/common';
import { ExponentialBackoff, handleAll, retry } from 'cockatiel';
import { z } from 'zod';
import { CallbackConfig } from './callback.config.js';
import { createDeliveryId, type ClaimedDelivery, claimedDelivery, type AttemptOutcome } from './delivery.js';
import type { DeferredDelivery } from './receiver-limiter.js';

/**
 * SQL: whether anybody still wants a callback of the check `c` at this URL. What nobody asked for is sent to client
 * applications for as long as they are attached, and want it there.
 */
export const createIsWantedCondition = (url: string): string => `(c.subject IS NULL OR EXISTS (
    SELECT FROM token_gating.community_clients AS attached
    WHERE attached.community_id = c.subject ->> 'communityId' AND attached.client_id = c.client_id
      AND attached.callback_url = ${url}))`;

/**
 * Takes attempts on, those that are due longest first. While one is under way the next is not due, so that nobody else
 * has it; one whose worker died comes due again.
 */
const CLAIM = `
  WITH due AS (
    SELECT id FROM token_gating.deliveries
    WHERE state = 'pending' AND next_attempt_at <= now()
    ORDER BY next_attempt_at LIMIT $1 FOR UPDATE SKIP LOCKED
  )
  UPDATE token_gating.deliveries AS d SET next_attempt_at = now() + $2 * interval '1 ms'
  FROM due, token_gating.checks AS c
  WHERE d.id = due.id AND c.id = d.check_id
  RETURNING d.id, d.attempts + 1 AS attempt, d.url, c.id AS "requestId", c.client_id AS "clientId", c.result,
    c.subject, ${createIsWantedCondition('d.url')} AS "isWanted"`;

/** Without an attempt. */
const GIVE_UP = `
  UPDATE token_gating.deliveries SET state = 'failed' WHERE id = ANY($1::text[]) AND state = 'pending'`;

/**
 * One statement: the attempts, the deliveries' next steps, and how long their checks are kept. An attempt counts from
 * here on, and once: of two workers that had the same claim the first one is heard.
 */
const RECORD = `
  WITH ended AS (
    SELECT * FROM unnest($1::text[], $2::int[], $3::float8[], $4::int[], $5::int[], $6::text[], $7::text[], $8::float8[])
      AS ended (id, attempt, started_ms, milliseconds, status, failure, state, delay_ms)
  ), delivery AS (
    UPDATE token_gating.deliveries AS d
    SET attempts = ended.attempt, state = ended.state, next_attempt_at = now() + ended.delay_ms * interval '1 ms'
    FROM ended WHERE d.id = ended.id AND d.attempts = ended.attempt - 1 AND d.state = 'pending'
    RETURNING d.id, d.check_id, now() + (ended.delay_ms + $9) * interval '1 ms' AS keep_until
  ), recorded AS (
    INSERT INTO token_gating.delivery_attempts (delivery_id, attempt, started_at, milliseconds, status, failure)
    SELECT ended.id, attempt, to_timestamp(started_ms / 1000), milliseconds, status, failure
    FROM ended JOIN delivery ON delivery.id = ended.id
  )
  UPDATE token_gating.checks AS c SET expires_at = delivery.keep_until
  FROM delivery WHERE c.id = delivery.check_id AND c.expires_at < delivery.keep_until`;

/** As if it had not been claimed, and due a little later. */
const PUT_BACK = `
  UPDATE token_gating.deliveries AS d SET next_attempt_at = now() + back.delay_ms * interval '1 ms'
  FROM unnest($1::text[], $2::int[], $3::float8[]) AS back (id, attempt, delay_ms)
  WHERE d.id = back.id AND d.attempts = back.attempt - 1 AND d.state = 'pending'`;

/** No further than anybody wants to know exactly. */
const COUNT_DUE = `
  SELECT count(*)::int AS due FROM (
    SELECT 1 FROM token_gating.deliveries WHERE state = 'pending' AND next_attempt_at <= now() LIMIT 100000
  ) AS due`;

const REDELIVER = `
  WITH kept AS (
    UPDATE token_gating.checks AS c SET expires_at = greatest(expires_at, now() + $4 * interval '1 ms')
    WHERE id = $2 AND client_id = $3 AND result IS NOT NULL AND callback_url IS NOT NULL
      AND ${createIsWantedCondition('c.callback_url')}
    RETURNING id, callback_url
  )
  INSERT INTO token_gating.deliveries (id, check_id, url, next_attempt_at)
  SELECT $1, id, callback_url, now() FROM kept
  RETURNING id`;

/** Longer than an attempt may wait for its turn here and then take. */
const CLAIM_MS = 30_000;

/** Nobody waits for it, and statements cost more than their rows. */
const RECORD_GATHER_MS = 10;

const patience = retry(handleAll, {
  maxAttempts: 3,
  backoff: new ExponentialBackoff({ initialDelay: 200, maxDelay: 2_000 }),
});

/** Callbacks to send, in PostgreSQL. The table is their queue: what is due, and when, stands in the row. */
@Injectable()
export class DeliveryRepository {
  private readonly recorder = createBatcher(
    (outcomes: readonly AttemptOutcome[]) => patience.execute(() => this.recordAll(outcomes)),
    { batchWindowMs: RECORD_GATHER_MS },
  );

  constructor(
    private readonly database: Database,
    private readonly config: CallbackConfig,
  ) {}

  /** Takes on what is due, at most so many. */
  async claim(most: number): Promise<ClaimedDelivery[]> {
    const rows = await this.database.query(CLAIM, [most, CLAIM_MS]);
    return z.array(claimedDelivery).parse(rows);
  }

  /** What nobody wants any more. */
  async markFailed(unwanted: readonly ClaimedDelivery[]): Promise<void> {
    if (unwanted.length === 0) return;
    await this.database.query(GIVE_UP, [unwanted.map(({ id }) => id)]);
  }

  /** Tried again for as long as the claim lasts: the receiver has the callback, and would get it again. */
  async recordAttempt(outcome: AttemptOutcome): Promise<void> {
    await this.recorder.load(outcome);
  }

  async putBack(those: readonly DeferredDelivery<ClaimedDelivery>[]): Promise<void> {
    await this.database.query(PUT_BACK, [
      those.map(({ delivery }) => delivery.id),
      those.map(({ delivery }) => delivery.attempt),
      those.map(({ backInMs }) => backInMs),
    ]);
  }

  /** Up to 100,000. */
  async countDue(): Promise<number> {
    const rows = await this.database.query(COUNT_DUE);
    return z.tuple([z.object({ due: z.int() })]).parse(rows)[0].due;
  }

  /**
   * A delivery of its own, with an id of its own: undefined when there is no result of this client's with a callback that
   * is still wanted.
   */
  async redeliver(requestId: string, clientId: string): Promise<string | undefined> {
    const rows = await this.database.query(REDELIVER, [
      createDeliveryId(),
      requestId,
      clientId,
      this.config.CHECK_RETENTION_MS,
    ]);
    return z.array(z.object({ id: z.string() })).parse(rows)[0]?.id;
  }

  private async recordAll(outcomes: readonly AttemptOutcome[]): Promise<true[]> {
    const column = <T>(of: (outcome: AttemptOutcome) => T): T[] => outcomes.map(of);
    await this.database.query(RECORD, [
      column(({ delivery }) => delivery.id),
      column(({ delivery }) => delivery.attempt),
      column(({ record }) => record.startedAt),
      column(({ record }) => Math.round(record.milliseconds)),
      column(({ record }) => record.status),
      column(({ record }) => record.failure),
      column(({ next }) => next.state),
      column(({ next }) => (next.state === 'pending' ? next.delayMs : 0)),
      this.config.CHECK_RETENTION_MS,
    ]);
    return column(() => true);
  }
}
