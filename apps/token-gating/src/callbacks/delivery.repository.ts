import { randomBytes, randomUUID } from 'node:crypto';
import { createBatcher, DAY_MS, WakeUpSignal } from '@app/common';
import { Database, queryRows, RowQueue, toStoredJson } from '@app/database';
import { ENDPOINT_DELIVERY_DAYS } from '@app/dto';
import { ServiceContext } from '@app/service';
import { Injectable } from '@nestjs/common';
import { ExponentialBackoff, handleAll, retry } from 'cockatiel';
import type { EntityManager } from 'typeorm';
import { z } from 'zod';
import { checkResult } from '../rules/check-result.js';
import { CallbackConfig } from './callback.config.js';
import { MAX_DELIVERIES_PER_RESULT, redeliveryLimitExceeded } from './callback.errors.js';
import {
  type AttemptOutcome,
  type ClaimedDelivery,
  createDeliveryId,
  type NewCallback,
  parseClaimedDeliveries,
  type UnreadableDelivery,
} from './delivery.js';
import {
  createIsOperationReceiver,
  markOperationReceiverVerified,
} from './operation-callbacks/operation-receivers.queries.js';
import {
  createIsEndpointDeliveryWanted,
  createSigningJoin,
  type EndpointOutcome,
  markEndpointVerified,
  recordEndpointOutcomes,
} from './endpoints/callback-endpoints.queries.js';
import type { DeferredDelivery } from './receiver-limiter.js';
import { isGone } from './retry-schedule.js';
import { splitBySize } from './split-by-size.js';

/** Wakes the callback dispatcher of this instance when a callback is due. */
@Injectable()
export class DeliverySignal extends WakeUpSignal {}

/**
 * SQL condition: whether a callback to a client application is still wanted at `url`. Role callbacks, which have a subject, are
 * sent only while the application is attached to its community with this callback URL and its receiver has answered the
 * challenge; a challenge only while it is the current one. The same holds for the receiver of operations.
 */
const createIsWantedCondition = (callback: Record<'subject' | 'clientId' | 'url', string>): string => {
  const challenge = `${callback.subject} ->> 'challenge'`;
  return `(CASE WHEN ${callback.subject} ->> 'receiver' = 'operations'
    THEN ${createIsOperationReceiver({ ...callback, challenge })}
    ELSE ${callback.subject} ->> 'communityId' IS NULL OR EXISTS (
      SELECT FROM token_gating.community_clients AS attached
      WHERE attached.community_id = ${callback.subject} ->> 'communityId'
        AND attached.client_id = ${callback.clientId} AND attached.callback_url = ${callback.url}
        AND attached.challenge IS NOT DISTINCT FROM ${challenge}) END)`;
};

/** Content of a delivery `d` or of its check `c`. The previous release stored role callbacks as checks with a subject. */
const CONTENT = "coalesce(d.payload, c.result || coalesce(c.subject, '{}'))";
/** Names the community; null for the result of a check. */
const SUBJECT = 'coalesce(d.payload, c.subject)';
const CLIENT_ID = 'coalesce(d.client_id, c.client_id)';

const queue = new RowQueue({
  table: 'token_gating.deliveries',
  dueAt: 'next_attempt_at',
  isWaiting: "state = 'pending'",
  turnBy: 'tenant_id',
});

const IS_WANTED = createIsWantedCondition({ subject: SUBJECT, clientId: CLIENT_ID, url: 'd.url' });
const IS_ENDPOINT_DELIVERY_WANTED = createIsEndpointDeliveryWanted({
  endpointId: 'd.endpoint_id',
  clientId: 'd.client_id',
  url: 'd.url',
  payload: 'd.payload',
});

const CLAIMED = `
  SELECT d.id, d.tenant_id AS "tenantId", d.attempts + 1 AS attempt, d.repeat_base AS "repeatBase", d.url, d.traceparent, coalesce(d.request_id, c.id) AS "requestId",
    ${CLIENT_ID} AS "clientId", ${CONTENT} AS payload,
    CASE WHEN d.endpoint_id IS NULL THEN ${IS_WANTED} ELSE ${IS_ENDPOINT_DELIVERY_WANTED} END AS "isWanted",
    d.endpoint_id AS "endpointId", signing.id AS "signingEndpointId", signing.sealed_secret AS "sealedSecret",
    CASE WHEN signing.previous_secret_until > now() THEN signing.sealed_previous_secret END AS "sealedPreviousSecret",
    EXISTS (SELECT FROM token_gating.communities AS community
      WHERE community.id = coalesce(${SUBJECT} ->> 'eventCommunityId', ${SUBJECT} ->> 'communityId') AND community.suspended_at IS NOT NULL) AS "isHeld"
  FROM claimed AS d LEFT JOIN token_gating.checks AS c ON c.id = d.check_id
  ${createSigningJoin({ endpointId: 'd.endpoint_id', url: 'd.url' }, { clientId: 'c.client_id', subject: 'c.subject' })}`;

/** What receivers answered is kept of the newest attempts of a delivery, so that it is a few KiB at most. */
const MAX_KEPT_ANSWERS = 3;

const MARK_FAILED = `
  UPDATE token_gating.deliveries SET state = 'failed',
    expires_at = CASE WHEN payload ->> 'isErased' = 'true' THEN now() ELSE expires_at END
  WHERE id = ANY($1::text[]) AND state = 'pending'`;

/**
 * Records attempts, the next steps of their deliveries and the expiry of those or their checks in one statement. An attempt
 * counts once: of two instances with the same claim the first is recorded.
 */
const RECORD_ATTEMPTS = `
  WITH ended AS (
    SELECT * FROM unnest($1::text[], $2::int[], $3::float8[], $4::int[], $5::int[], $6::text[], $7::text[], $8::float8[], $10::text[])
      AS ended (id, attempt, started_ms, milliseconds, status, failure, state, delay_ms, answer)
  ), delivery AS (
    UPDATE token_gating.deliveries AS d
    SET attempts = ended.attempt, state = ended.state, next_attempt_at = now() + ended.delay_ms * interval '1 ms',
      expires_at = CASE WHEN payload ->> 'isErased' = 'true' AND ended.state <> 'pending' THEN now()
        WHEN expires_at IS NOT NULL THEN greatest(expires_at, now() + (ended.delay_ms + $9) * interval '1 ms') END
    FROM ended WHERE d.id = ended.id AND d.attempts = ended.attempt - 1 AND d.state = 'pending'
    RETURNING d.id, d.check_id, now() + (ended.delay_ms + $9) * interval '1 ms' AS keep_until
  ), recorded AS (
    INSERT INTO token_gating.delivery_attempts (delivery_id, attempt, started_at, milliseconds, status, failure, answer)
    SELECT ended.id, attempt, to_timestamp(started_ms / 1000), milliseconds, status, failure, answer
    FROM ended JOIN delivery ON delivery.id = ended.id
  ), trimmed AS (
    UPDATE token_gating.delivery_attempts AS old SET answer = NULL
    FROM ended JOIN delivery ON delivery.id = ended.id
    WHERE old.delivery_id = ended.id AND old.attempt = ended.attempt - ${MAX_KEPT_ANSWERS} AND old.answer IS NOT NULL
  )
  UPDATE token_gating.checks AS c SET expires_at = delivery.keep_until
  FROM delivery WHERE c.id = delivery.check_id AND c.expires_at < delivery.keep_until`;

/** Releases claims: the deliveries become due after a delay, without an attempt. */
const RELEASE_CLAIMS = `
  UPDATE token_gating.deliveries AS d SET next_attempt_at = now() + released.delay_ms * interval '1 ms'
  FROM unnest($1::text[], $2::int[], $3::float8[]) AS released (id, attempt, delay_ms)
  WHERE d.id = released.id AND d.attempts = released.attempt - 1 AND d.state = 'pending'`;

const MARK_RECEIVER_VERIFIED = `
  UPDATE token_gating.community_clients SET challenge = NULL
  WHERE community_id = $1 AND client_id = $2 AND callback_url = $3 AND challenge = $4`;

/** The pause is the age of the delivery, so that pauses double: from a minute to six hours, until the row expires. */
const POSTPONE_UNREADABLE = `
  UPDATE token_gating.deliveries
  SET next_attempt_at = now() + least(greatest(now() - created_at, interval '1 minute'), interval '6 hours')
  WHERE id = ANY($1::text[]) AND state = 'pending'`;

const COUNT_DUE = `
  SELECT count(*)::int AS due FROM (
    SELECT 1 FROM token_gating.deliveries WHERE state = 'pending' AND next_attempt_at <= now() LIMIT 100000
  ) AS due`;

const LOCK_REDELIVERIES = "SELECT pg_advisory_xact_lock(hashtextextended('redeliveries ' || $1, 0))";

/** Counts the deliveries of the result of a check or of a role change. */
const COUNT_DELIVERIES = `
  SELECT count(*)::int AS count FROM token_gating.deliveries WHERE check_id = $1 OR request_id = $1`;

const REDELIVER = `
  WITH kept AS (
    UPDATE token_gating.checks AS c SET expires_at = greatest(expires_at, now() + $4 * interval '1 ms')
    WHERE id = $2 AND client_id = $3 AND result IS NOT NULL AND callback_url IS NOT NULL
      AND ${createIsWantedCondition({ subject: 'c.subject', clientId: 'c.client_id', url: 'c.callback_url' })}
    RETURNING id, coalesce(tenant_id, client_id) AS tenant_id, callback_url
  ), role_callback AS (
    SELECT request_id, client_id, tenant_id, payload, url FROM token_gating.deliveries AS d
    WHERE request_id = $2 AND client_id = $3 AND endpoint_id IS NULL
      AND ${createIsWantedCondition({ subject: 'd.payload', clientId: 'd.client_id', url: 'd.url' })}
    LIMIT 1
  )
  INSERT INTO token_gating.deliveries
    (id, tenant_id, check_id, request_id, client_id, payload, url, next_attempt_at, expires_at)
  SELECT $1, tenant_id, id, NULL, NULL, NULL, callback_url, now(), NULL FROM kept
  UNION ALL
  SELECT $1, tenant_id, NULL, request_id, client_id, payload, url, now(), now() + $4 * interval '1 ms' FROM role_callback
  RETURNING id`;

const INSERT_CALLBACKS = `
  INSERT INTO token_gating.deliveries
    (id, tenant_id, request_id, client_id, payload, url, next_attempt_at, expires_at, endpoint_id)
  SELECT id, tenant_id, request_id, client_id, payload::jsonb, url, now() + delay_ms * interval '1 ms',
    now() + (delay_ms + CASE WHEN endpoint_id IS NULL THEN $8::float8 ELSE greatest($8::float8, $10::float8) END) * interval '1 ms', endpoint_id
  FROM unnest($1::text[], $2::text[], $3::uuid[], $4::text[], $5::text[], $6::text[], $7::float8[], $9::text[])
    AS callback (id, tenant_id, request_id, client_id, payload, url, delay_ms, endpoint_id)
  ON CONFLICT (id) DO NOTHING`;

const FIND_ROLE_CALLBACK = `
  SELECT payload -> 'roles' AS roles, url AS "callbackUrl" FROM token_gating.deliveries
  WHERE request_id = $1 AND client_id = $2 AND endpoint_id IS NULL AND expires_at > now() LIMIT 1`;

/** Pending deliveries are kept for 7 more days at most, because their receiver may hang. */
const DELETE_EXPIRED = `
  DELETE FROM token_gating.deliveries WHERE id IN (
    SELECT id FROM token_gating.deliveries
    WHERE expires_at <= now() AND (state <> 'pending' OR expires_at <= now() - interval '7 days')
    LIMIT $1 FOR UPDATE SKIP LOCKED
  )
  RETURNING id`;

const DELETE_OF_COMMUNITY = `
  DELETE FROM token_gating.deliveries WHERE id IN (
    SELECT id FROM token_gating.deliveries
    WHERE (payload IS NOT NULL AND payload ->> 'communityId' = $1) OR payload ->> 'eventCommunityId' = $1 LIMIT $2
  )
  RETURNING id`;

const DELETE_OF_USER = `
  DELETE FROM token_gating.deliveries WHERE id IN (
    SELECT id FROM token_gating.deliveries WHERE payload ->> 'userId' = $1 AND (state <> 'pending' OR payload -> 'event' -> 'data' ? 'accountId') LIMIT $2
  )
  RETURNING id`;

/** Receivers still learn that the roles are gone, but not which wallets the user had. What is not delivered any more is not redelivered either. */
const MARK_OF_USER_ERASED = `
  UPDATE token_gating.deliveries SET payload = payload || '{"isErased": true}'
  WHERE payload ->> 'userId' = $1 AND state = 'pending' AND payload ->> 'isErased' IS NULL`;

const storedRoleCallback = z
  .object({ roles: checkResult.shape.roles, callbackUrl: z.string() })
  .transform(({ roles, callbackUrl }) => ({ result: { roles, errors: [] }, callbackUrl }));
/** A stored callback about roles, in the shape of the stored result of a check. */
export type StoredRoleCallback = z.output<typeof storedRoleCallback>;

/** Keeps a statement far below the statement timeout. */
const MAX_ROWS_PER_STATEMENT = 1_000;
/** Bounds what one statement sends, because the result of a check may be hundreds of kilobytes. */
const MAX_STATEMENT = { count: MAX_ROWS_PER_STATEMENT, size: 1_000_000 };
/** A claim lasts longer than an attempt may wait for its slot and then take. */
const CLAIM_MS = 30_000;

/** Trades latency for fewer statements: no request waits for these. */
const RECORD_WINDOW_MS = 10;

const recordRetry = retry(handleAll, {
  maxAttempts: 3,
  backoff: new ExponentialBackoff({ initialDelay: 200, maxDelay: 2_000 }),
});

/** Callback deliveries in PostgreSQL. The table is the queue: each row holds when it is due. */
@Injectable()
export class DeliveryRepository {
  private readonly recorder = createBatcher(
    (outcomes: readonly AttemptOutcome[]) => recordRetry.execute(() => this.recordAll(outcomes)),
    { batchWindowMs: RECORD_WINDOW_MS },
  );

  constructor(
    private readonly database: Database,
    private readonly config: CallbackConfig,
    private readonly context: ServiceContext,
  ) {}

  /** Claims at most `limit` due deliveries. @param inTurns whether tenants take turns, which costs more */
  async claim(limit: number, inTurns: boolean): Promise<ClaimedDelivery[]> {
    const claim = { limit, leaseMs: CLAIM_MS, columns: '*', select: CLAIMED };
    const rows = await (inTurns
      ? queue.claimInTurns(this.database, claim)
      : queue.claim(this.database, claim));
    const { deliveries, unreadable } = parseClaimedDeliveries(rows);
    await this.postpone(unreadable);
    return deliveries;
  }

  private async postpone(unreadable: readonly UnreadableDelivery[]): Promise<void> {
    if (unreadable.length === 0) return;
    const [first] = unreadable;
    this.context.logger.error(
      { count: unreadable.length, deliveryId: first?.id, reason: first?.reason },
      'stored callbacks cannot be read; they are postponed',
    );
    await this.database.query(POSTPONE_UNREADABLE, [unreadable.map(({ id }) => id)]);
  }

  /** Ends deliveries without an attempt. */
  async markFailed(deliveries: readonly ClaimedDelivery[]): Promise<void> {
    if (deliveries.length === 0) return;
    await this.database.query(MARK_FAILED, [deliveries.map(({ id }) => id)]);
  }

  /** Ends the challenge of a delivery, so that its receiver gets role callbacks. */
  async markReceiverVerified({ clientId, endpointId, url, payload }: ClaimedDelivery): Promise<void> {
    const { communityId, challenge, receiver } = payload;
    if (challenge === undefined) return;
    if (endpointId !== null) await markEndpointVerified(this.database, { endpointId, url, challenge });
    else if (receiver) await markOperationReceiverVerified(this.database, { clientId, url, challenge });
    else await this.database.query(MARK_RECEIVER_VERIFIED, [communityId, clientId, url, challenge]);
  }

  /** Retried while the claim lasts, because an unrecorded callback would be sent again. */
  async recordAttempt(outcome: AttemptOutcome): Promise<void> {
    await this.recorder.load(outcome);
  }

  async releaseClaims(deferred: readonly DeferredDelivery<ClaimedDelivery>[]): Promise<void> {
    await this.database.query(RELEASE_CLAIMS, [
      deferred.map(({ delivery }) => delivery.id),
      deferred.map(({ delivery }) => delivery.attempt),
      deferred.map(({ delayMs }) => delayMs),
    ]);
  }

  /** Counts up to 100,000. */
  async countDue(): Promise<number> {
    const rows = await this.database.query(COUNT_DUE);
    return z.tuple([z.object({ due: z.int() })]).parse(rows)[0].due;
  }

  /**
   * Creates a new delivery of a result. Redeliveries of one result run one after the other, so that no two count the same rows.
   * @returns its id; undefined when the client has no such result with a callback that is still wanted
   * @throws AppError 409 when the result was delivered too often
   */
  redeliver(requestId: string, clientId: string): Promise<string | undefined> {
    return this.database.transaction(async (manager) => {
      await queryRows(manager, LOCK_REDELIVERIES, [requestId]);
      const counted = await queryRows(manager, COUNT_DELIVERIES, [requestId]);
      const [{ count }] = z.tuple([z.object({ count: z.int() })]).parse(counted);
      if (count >= MAX_DELIVERIES_PER_RESULT) throw redeliveryLimitExceeded();
      const parameters = [createDeliveryId(), requestId, clientId, this.config.CHECK_RETENTION_MS];
      const rows = await queryRows(manager, REDELIVER, parameters);
      return z.array(z.object({ id: z.string() })).parse(rows)[0]?.id;
    });
  }

  /** Stores callbacks, each under a new request id. */
  async insertCallbacks(manager: EntityManager, callbacks: readonly NewCallback[]): Promise<void> {
    const stored = callbacks.map((callback) => ({ ...callback, content: toStoredJson(callback.payload) }));
    for (const rows of splitBySize(stored, ({ content }) => content.length, MAX_STATEMENT)) {
      await queryRows(manager, INSERT_CALLBACKS, [
        rows.map(({ id }) => id ?? createDeliveryId()),
        rows.map(({ tenantId }) => tenantId),
        rows.map(() => randomUUID()),
        rows.map(({ clientId }) => clientId),
        rows.map(({ content }) => content),
        rows.map(({ url }) => url),
        rows.map(({ delayMs }) => delayMs),
        this.config.CHECK_RETENTION_MS,
        rows.map(({ endpointId }) => endpointId ?? null),
        ENDPOINT_DELIVERY_DAYS * DAY_MS,
      ]);
    }
  }

  /** Undefined for an unknown or expired role callback and for one of another client application. */
  async findRoleCallback(requestId: string, clientId: string): Promise<StoredRoleCallback | undefined> {
    const rows = await this.database.query(FIND_ROLE_CALLBACK, [requestId, clientId]);
    return z.array(storedRoleCallback).parse(rows)[0];
  }

  /** Deletes at most `limit` expired role callbacks. @returns how many */
  async deleteExpired(limit: number): Promise<number> {
    return (await this.database.query(DELETE_EXPIRED, [limit])).length;
  }

  /** Deletes at most `limit` role callbacks of a community. @returns how many */
  async deleteOfCommunity(manager: EntityManager, communityId: string, limit: number): Promise<number> {
    return (await queryRows(manager, DELETE_OF_COMMUNITY, [communityId, limit])).length;
  }

  /**
   * Deletes the role callbacks that name a user: those that are pending once they are delivered or have failed. Call it again as long as it
   * returns true.
   */
  async eraseUser(userId: string): Promise<boolean> {
    await this.database.query(MARK_OF_USER_ERASED, [userId]);
    const deleted = await this.database.query(DELETE_OF_USER, [userId, MAX_ROWS_PER_STATEMENT]);
    return deleted.length === MAX_ROWS_PER_STATEMENT;
  }

  private async recordAll(outcomes: readonly AttemptOutcome[]): Promise<true[]> {
    const column = <T>(of: (outcome: AttemptOutcome) => T): T[] => outcomes.map(of);
    await this.database.query(RECORD_ATTEMPTS, [
      column(({ delivery }) => delivery.id),
      column(({ delivery }) => delivery.attempt),
      column(({ record }) => record.startedAt),
      column(({ record }) => Math.round(record.milliseconds)),
      column(({ record }) => record.status),
      column(({ record }) => record.failure),
      column(({ next }) => next.state),
      column(({ next }) => (next.state === 'pending' ? next.delayMs : 0)),
      this.config.CHECK_RETENTION_MS,
      column(({ record }) => record.answer ?? null),
    ]);
    await this.recordHealth(outcomes);
    return column(() => true);
  }

  /** A failure to write it is no failure of the deliveries: the next attempt says the same. */
  private async recordHealth(outcomes: readonly AttemptOutcome[]): Promise<void> {
    const answered = outcomes.flatMap(({ delivery, record, next }): EndpointOutcome[] => {
      const { endpointId, url, payload } = delivery;
      if (endpointId === null) return [];
      const failure = next.state === 'delivered' ? undefined : (record.failure ?? `status ${record.status}`);
      return [
        {
          ...{ endpointId, url, failure },
          isGone: isGone(record.status),
          isChallenge: payload.challenge !== undefined,
        },
      ];
    });
    if (answered.length === 0) return;
    await recordEndpointOutcomes(this.database, answered, createChallenge).catch((error: unknown) => {
      this.context.logger.error({ err: error }, 'the health of callback endpoints could not be stored');
    });
  }
}

/** A text that a receiver cannot guess. */
export const createChallenge = (): string => randomBytes(32).toString('base64url');
