import { MINUTE_MS, SECOND_MS } from '@app/common';
import { Database, lockTransaction, queryRows } from '@app/database';
import { Injectable } from '@nestjs/common';
import type { Address } from 'viem';
import { z } from 'zod';
import { isOperationFrozen } from '../../freezes/is-frozen.js';
import { OperationStateRepository } from '../states/operation-state.repository.js';
import { CLAIMED_COLUMNS, type ClaimedOperation, claimedOperation } from './claimed-operation.js';

/** Operations of one claim, more than one bundle takes. */
const MAX_CLAIM = 200;
/** Longer than the simulation, signing and storing of a bundle; operations of an instance that dies are due again then. */
const CLAIM_MS = 10_000;
/** An operation that fails its simulation is tried again after half of the time for which it failed, within these bounds. */
const MIN_RETRY_MS = SECOND_MS;
const MAX_RETRY_MS = MINUTE_MS;
/** After this time an operation that fails its simulation is `stuck`. It is still tried. */
const STUCK_AFTER_MS = 5 * MINUTE_MS;

const WAITING = `o.state IN ('signed', 'stuck') AND (o.next_attempt_at IS NULL OR o.next_attempt_at <= now())`;
/** Operations whose sponsor's signature ends soon are not sent any more: inclusion takes time, and a transaction too late costs gas. */
const VALID = `(o.valid_until IS NULL OR o.valid_until > now() + interval '5 minutes')`;

/** Operations before `o` in its lane that may still be executed. */
const EARLIER = `
  SELECT FROM account_kit.user_operations AS earlier
  WHERE earlier.account_id = o.account_id AND earlier.chain_id = o.chain_id
    AND earlier.nonce_key = o.nonce_key AND earlier.nonce_sequence < o.nonce_sequence
    AND earlier.state IN ('accepted', 'signed', 'submitted', 'stuck')`;
/** It is in a transaction of the executor that waits to be mined: whatever the executor sends later is executed later. */
const IS_PENDING = `
  earlier.state = 'submitted' AND EXISTS (
    SELECT FROM account_kit.executor_transaction_operations AS link
    JOIN account_kit.executor_transactions AS t ON t.id = link.transaction_id
    WHERE link.operation_id = earlier.id AND t.executor = $4 AND t.state = 'pending')`;

/** A cancellation of an operation, at the same nonce. */
const CANCELLATION = (operation: string): string => `
  SELECT FROM account_kit.user_operations AS cancellation
  WHERE cancellation.account_id = ${operation}.account_id AND cancellation.chain_id = ${operation}.chain_id
    AND cancellation.nonce_key = ${operation}.nonce_key AND cancellation.nonce_sequence = ${operation}.nonce_sequence
    AND cancellation.kind = 'cancellation'`;
const IS_CANCELLED = (operation: string): string =>
  `${operation}.kind <> 'cancellation' AND EXISTS (${CANCELLATION(operation)} AND cancellation.state <> 'rejected')`;
const IS_REPLACED = (operation: string): string =>
  `EXISTS (${CANCELLATION(operation)} AND cancellation.state IN ('included', 'final', 'reverted'))`;

/** Signed operations as a queue: a claim postpones them, so no transaction is open while they are simulated. */
@Injectable()
export class OperationClaimRepository {
  constructor(
    private readonly database: Database,
    private readonly states: OperationStateRepository,
  ) {}

  /**
   * Claims operations in order of acceptance. One whose lane has an earlier unfinished operation comes with it, or waits for it.
   * @param executor in whose pending transactions earlier operations may be
   */
  claim(chainId: number, executor?: Address): Promise<ClaimedOperation[]> {
    return this.database.transaction(async (manager) => {
      // Claims at the same time would split lanes.
      await lockTransaction(manager, `operation claims of chain ${chainId}`);
      const rows = await queryRows(
        manager,
        `WITH due AS (
           SELECT o.id FROM account_kit.user_operations AS o
           WHERE o.chain_id = $1 AND ${WAITING} AND ${VALID} AND NOT ${isOperationFrozen('o')}
             AND NOT (${IS_CANCELLED('o')}) AND NOT EXISTS (
             ${EARLIER} AND (earlier.state <> 'signed' OR earlier.next_attempt_at > now()
                 OR ${isOperationFrozen('earlier')})
               AND NOT (${IS_PENDING}) AND NOT ${IS_REPLACED('earlier')})
           ORDER BY o.accepted_at, o.nonce_sequence LIMIT $2
         ), claimed AS (
           UPDATE account_kit.user_operations SET next_attempt_at = clock_timestamp() + $3 * interval '1 ms'
           WHERE id IN (SELECT id FROM due) RETURNING *
         )
         SELECT ${CLAIMED_COLUMNS}, EXISTS (${EARLIER} AND ${IS_PENDING}) AS follows_pending
         FROM claimed AS o JOIN account_kit.smart_accounts AS a ON a.id = o.account_id
         ORDER BY min(o.accepted_at) OVER (PARTITION BY o.account_id, o.nonce_key), o.account_id, o.nonce_key,
           o.nonce_sequence`,
        [chainId, MAX_CLAIM, CLAIM_MS, executor ?? null],
      );
      return z.array(claimedOperation).parse(rows);
    });
  }

  /** The chains of those of the operations that wait to be sent. */
  async findChainsOfDue(ids: readonly string[]): Promise<number[]> {
    const rows = await this.database.query(
      `SELECT DISTINCT o.chain_id AS "chainId" FROM account_kit.user_operations AS o
       WHERE o.id = ANY($1::uuid[]) AND ${WAITING}`,
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

  /** Keeps why an operation failed its simulation, and when it is tried again. */
  postpone(id: string, reason: string): Promise<void> {
    return this.database.transaction(async (manager) => {
      const rows = await queryRows(
        manager,
        `UPDATE account_kit.user_operations SET reason = $2, next_attempt_at = clock_timestamp() + interval '1 ms' *
           least($4::int, greatest($3::int, extract(epoch FROM clock_timestamp() - changed_at) * 500))
         WHERE id = $1 AND state IN ('signed', 'stuck')
         RETURNING state = 'signed' AND changed_at < clock_timestamp() - $5 * interval '1 ms' AS "isStuck"`,
        [id, reason, MIN_RETRY_MS, MAX_RETRY_MS, STUCK_AFTER_MS],
      );
      const [row] = z.array(z.object({ isStuck: z.boolean() })).parse(rows);
      if (row?.isStuck) await this.states.change(manager, { ids: [id], from: ['signed'], to: 'stuck' });
    });
  }
}
