import { HOUR_MS, SECOND_MS } from '@app/common';
import { Database, lockTransaction, queryRows, toStoredText } from '@app/database';
import { ServiceContext } from '@app/service';
import { Injectable } from '@nestjs/common';
import type { Address } from 'viem';
import { z } from 'zod';
import { isOperationFrozen } from '../../../limits/is-frozen.js';
import { OperationStateRepository } from '../operation-state.repository.js';
import { CLAIMED_COLUMNS, type ClaimedOperation, claimedOperation } from './claimed-operation.js';
import {
  hasLapsed,
  IN_FLIGHT,
  isBehind,
  isCancelled,
  isDue,
  isHeld,
  isInTransaction,
  isNot,
  isRepeat,
  isSharedWith,
  isWaiting,
  LAPSED_REASON,
} from './due-operations.js';

/** Fresh operations of one claim, more than one bundle takes. */
const MAX_FRESH = 180;
/** Operations of one claim that were held, beside those for which fresh ones leave room. */
const MIN_HELD = 20;
/** Operations of one claim that have failed before. */
const MAX_REPEATS = 20;
const MAX_LAPSED = 200;
/**
 * Operations stay claimed for longer than the simulation, signing and storing of a bundle take; those of an instance
 * that dies are due again then.
 */
const CLAIM_MS = 10_000;
/** The pause after the first failed simulation. Each further failure doubles it, up to an hour. */
const FIRST_PAUSE_MS = SECOND_MS;
const MAX_PAUSE_MS = HOUR_MS;
/** 1 s, doubled twelve times, is more than an hour. */
const MAX_DOUBLINGS = 12;
/** An operation is `stuck` when it fails its simulation for the ninth time, after four minutes of pauses. It is still tried. */
const STUCK_AFTER_FAILURES = 8;
const LAPSE_INTERVAL_MS = 10 * SECOND_MS;

/** The operation failed its simulation. */
export interface FailedOperation {
  readonly id: string;
  readonly reason: string;
}

const idRows = z.array(z.object({ id: z.string() }));
const postponedRows = z.array(z.object({ id: z.string(), isChanged: z.boolean(), isStuck: z.boolean() }));

/** SQL condition: the operation is in no transaction of an executor, though a bundler may have been sent it. */
const isUnsent = (o: string): string =>
  `(${o}.state IN ('signed', 'stuck') OR ${o}.state = 'submitted'
    AND EXISTS (SELECT FROM account_kit.bundler_submissions AS s WHERE s.operation_id = ${o}.id)
    AND ${isNot(isInTransaction(o))})`;

/** Signed operations as a queue: a claim postpones them, so no transaction is open while they are simulated. */
@Injectable()
export class OperationClaimRepository {
  /** Time by `performance.now()`, by chain. */
  private readonly nextLapseAt = new Map<number, number>();

  constructor(
    private readonly database: Database,
    private readonly states: OperationStateRepository,
    private readonly context: ServiceContext,
  ) {}

  /**
   * Claims fresh operations, then those that were held, then those that have failed before. Of each kind the oldest lane of each client
   * application comes first, then the next one of each: an application with thousands delays no other one. An operation whose lane has an
   * earlier unfinished one comes with it, or waits for it. An account or a paymaster with an operation in a transaction of another executor
   * waits.
   * @param executor whose pending transactions a simulation can follow; without one, everything waits until they are mined
   */
  async claim(chainId: number, executor?: Address): Promise<ClaimedOperation[]> {
    await this.endLapsed(chainId);
    return this.database.transaction(async (manager) => {
      // Claims at the same time would split lanes.
      await lockTransaction(manager, `operation claims of chain ${chainId}`);
      const rows = await queryRows(
        manager,
        `WITH in_flight AS MATERIALIZED (${IN_FLIGHT}), due AS (
           SELECT o.id, o.client_id, o.account_id, o.nonce_key, o.nonce_sequence, o.next_attempt_at, ${isRepeat('o')} AS is_repeat,
             ${isHeld('o')} AS is_held, min(o.accepted_at) OVER lane AS lane_since, min(o.next_attempt_at) OVER lane AS lane_due_since
           FROM account_kit.user_operations AS o
           WHERE o.chain_id = $1 AND ${isDue('o')} AND ${isNot(isCancelled('o'))} AND ${isNot(isBehind('o'))}
           WINDOW lane AS (PARTITION BY o.account_id, o.nonce_key)
         ), placed AS (
           SELECT *, row_number() OVER (PARTITION BY client_id, is_repeat, is_held ORDER BY
             CASE WHEN is_repeat THEN next_attempt_at WHEN is_held THEN lane_due_since ELSE lane_since END NULLS FIRST,
             lane_since, account_id, nonce_key, nonce_sequence) AS place
           FROM due
         ), waiting AS (
           SELECT *, min(place) OVER (PARTITION BY account_id, nonce_key, is_repeat, is_held) AS turn FROM placed
         ), fresh AS (
           SELECT id, turn, lane_since FROM waiting WHERE NOT is_repeat AND NOT is_held
           ORDER BY turn, lane_since, account_id, nonce_key, nonce_sequence LIMIT $3
         ), chosen AS (
           SELECT * FROM fresh
           UNION ALL
           (SELECT id, turn, lane_since FROM waiting WHERE is_held
            ORDER BY turn, lane_due_since, account_id, nonce_key, nonce_sequence LIMIT $6 + $3 - (SELECT count(*) FROM fresh))
           UNION ALL
           (SELECT id, turn, lane_since FROM waiting WHERE is_repeat ORDER BY turn, next_attempt_at NULLS FIRST, lane_since LIMIT $4)
         ), claimed AS (
           UPDATE account_kit.user_operations SET next_attempt_at = clock_timestamp() + $5 * interval '1 ms'
           FROM chosen WHERE user_operations.id = chosen.id RETURNING user_operations.*, chosen.turn, chosen.lane_since
         )
         SELECT ${CLAIMED_COLUMNS}, ${isRepeat('o')} AS is_repeat,
           EXISTS (SELECT FROM in_flight AS flight WHERE flight.is_followed AND ${isSharedWith('o')}) AS follows_pending
         FROM claimed AS o JOIN account_kit.smart_accounts AS a ON a.id = o.account_id
         ORDER BY is_repeat, ${isHeld('o')}, o.turn, o.lane_since, o.account_id, o.nonce_key, o.nonce_sequence`,
        [chainId, executor ?? null, MAX_FRESH, MAX_REPEATS, CLAIM_MS, MIN_HELD],
      );
      return z.array(claimedOperation).parse(rows);
    });
  }

  /**
   * Extends the claim of operations whose simulation begins.
   * @returns the operations that may still be sent: not frozen and not cancelled since they were claimed
   */
  async confirm(ids: readonly string[]): Promise<ReadonlySet<string>> {
    const rows = await this.database.query(
      `UPDATE account_kit.user_operations AS o SET next_attempt_at = clock_timestamp() + $2 * interval '1 ms'
       WHERE o.id = ANY($1::uuid[]) AND o.state IN ('signed', 'stuck')
         AND NOT ${isOperationFrozen('o')} AND NOT ${isCancelled('o')}
       RETURNING o.id`,
      [ids, CLAIM_MS],
    );
    return new Set(idRows.parse(rows).map(({ id }) => id));
  }

  /** The chains of those of the operations that wait to be sent. */
  async findChainsOfDue(ids: readonly string[]): Promise<number[]> {
    const rows = await this.database.query(
      `SELECT DISTINCT o.chain_id AS "chainId" FROM account_kit.user_operations AS o
       WHERE o.id = ANY($1::uuid[]) AND ${isWaiting('o')}`,
      [ids],
    );
    return z
      .array(z.object({ chainId: z.coerce.number().int() }))
      .parse(rows)
      .map(({ chainId }) => chainId);
  }

  /** Makes operations that are in no bundle due again. */
  async release(ids: readonly string[], delayMs = 0): Promise<void> {
    if (ids.length === 0) return;
    await this.database.query(
      `UPDATE account_kit.user_operations SET next_attempt_at = clock_timestamp() + $2 * interval '1 ms'
       WHERE id = ANY($1::uuid[]) AND state IN ('signed', 'stuck')`,
      [ids, delayMs],
    );
  }

  postpone(id: string, reason: string): Promise<void> {
    return this.postponeAll([{ id, reason }]);
  }

  /** Keeps why operations cannot be sent at the moment. Nothing is wrong with them, so they are asked again after a fixed pause. */
  async hold(held: readonly FailedOperation[], pauseMs: number): Promise<void> {
    if (held.length === 0) return;
    await this.database.query(
      `UPDATE account_kit.user_operations AS o
       SET hold_reason = given.reason, next_attempt_at = clock_timestamp() + $3 * interval '1 ms'
       FROM unnest($1::uuid[], $2::text[]) AS given(id, reason)
       WHERE o.id = given.id AND o.state IN ('signed', 'stuck')`,
      [held.map(({ id }) => id), held.map(({ reason }) => toStoredText(reason)), pauseMs],
    );
  }

  /**
   * Keeps why operations failed their simulation, and when they are tried again. A reason that is not that of the last time is logged.
   * @param firstPauseMs the pause after the first failure
   */
  async postponeAll(failed: readonly FailedOperation[], firstPauseMs = FIRST_PAUSE_MS): Promise<void> {
    if (failed.length === 0) return;
    const postponed = await this.database.transaction(async (manager) => {
      const rows = await queryRows(
        manager,
        `UPDATE account_kit.user_operations AS o SET reason = given.reason, hold_reason = NULL,
           simulation_failures = o.simulation_failures + 1, next_attempt_at = clock_timestamp() + interval '1 ms' *
             least($4::int, $3::int * 2 ^ least(o.simulation_failures, $5::int))
         FROM (SELECT before.id, given.reason, before.reason IS DISTINCT FROM given.reason AS is_changed
           FROM unnest($1::uuid[], $2::text[]) AS given(id, reason)
           JOIN account_kit.user_operations AS before ON before.id = given.id ORDER BY before.id FOR UPDATE OF before) AS given
         WHERE o.id = given.id AND o.state IN ('signed', 'stuck')
         RETURNING o.id, given.is_changed AS "isChanged",
           o.state = 'signed' AND o.simulation_failures > $6 AS "isStuck"`,
        [
          failed.map(({ id }) => id),
          failed.map(({ reason }) => toStoredText(reason)),
          ...[firstPauseMs, MAX_PAUSE_MS, MAX_DOUBLINGS, STUCK_AFTER_FAILURES],
        ],
      );
      const all = postponedRows.parse(rows);
      const ids = all.filter(({ isStuck }) => isStuck).map(({ id }) => id);
      await this.states.change(manager, { ids, from: ['signed'], to: 'stuck' });
      return all;
    });
    const changed = new Set(postponed.filter(({ isChanged }) => isChanged).map(({ id }) => id));
    for (const { id, reason } of failed.filter((one) => changed.has(one.id)))
      this.context.logger.info({ operationId: id, reason }, 'a user operation failed its simulation');
  }

  /**
   * Operations without a sponsor whose day has ended are not tried any more, also those that a bundler was sent; of each application the
   * oldest first, then the second of each. A cancellation is made when
   * their lane is wanted. What is in a transaction of an executor stays `submitted`.
   */
  private async endLapsed(chainId: number): Promise<void> {
    const now = performance.now();
    if (now < (this.nextLapseAt.get(chainId) ?? 0)) return;
    this.nextLapseAt.set(chainId, now + LAPSE_INTERVAL_MS);
    const count = await this.database.transaction(async (manager) => {
      const rows = await queryRows(
        manager,
        `SELECT o.id FROM account_kit.user_operations AS o
         WHERE o.chain_id = $1 AND ${isUnsent('o')} AND ${hasLapsed('o')}
           AND o.reason IS DISTINCT FROM $2
         ORDER BY row_number() OVER (PARTITION BY o.client_id ORDER BY o.accepted_at), o.accepted_at LIMIT ${MAX_LAPSED}`,
        [chainId, LAPSED_REASON],
      );
      await this.states.change(manager, {
        ids: idRows.parse(rows).map(({ id }) => id),
        from: ['signed', 'stuck', 'submitted'],
        to: 'stuck',
        set: ['reason = $4', 'hold_reason = NULL', 'next_attempt_at = NULL'],
        condition: `${isUnsent('o')} AND ${hasLapsed('o')}`,
        parameters: [LAPSED_REASON],
      });
      return rows.length;
    });
    // The next claim goes on with the others.
    if (count === MAX_LAPSED) this.nextLapseAt.delete(chainId);
  }
}
