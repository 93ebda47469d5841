import { createBatcher, MINUTE_MS } from '@app/common';
import { Database, queryRows, toStoredJson } from '@app/database';
import { operationState, type OperationState } from '@app/dto';
import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import type { Hex } from 'viem';
import { hexToBytes } from 'viem/utils';
import { z } from 'zod';
import { isOperationFrozen } from '../../limits/is-frozen.js';
import { MAX_SIGNING_MS } from '../../request-deadline.js';
import { StateHooks } from '../../states/state-hooks.js';
import {
  type Changed,
  type StateTable,
  StateTransitions,
  type Transition,
} from '../../states/state-transitions.js';
import type { Reverter } from './bundles/find-reverter.js';
import type { InclusionRecord } from './inclusion/to-inclusion-record.js';
import {
  CAN_BE_REPEATED,
  hasLapsed,
  isCancelled,
  isInTransaction,
  isNobodyElses,
  isNot,
  LAPSED_REASON,
} from './operation-conditions.js';

const OPERATIONS: StateTable<OperationState> = {
  table: 'account_kit.user_operations',
  row: 'o',
  returning:
    'o.id, o.client_id, o.sender, o.chain_id, o.hash, o.kind, o.state, o.state_seq, o.accepted_at, o.changed_at',
  event: `'type', 'operation.changed', 'clientId', changed.client_id, 'account', changed.sender,
    'chainId', changed.chain_id, 'userOpHash', changed.hash, 'kind', changed.kind`,
  state: operationState,
};

/** Code that runs with each change of the state of a user operation, from `accepted` on. */
@Injectable()
export class OperationStateHooks extends StateHooks<Changed<OperationState>> {}

/** Name of the lock under which nonces of an account's operations on a chain are given away. */
export const toAccountLock = (accountId: string, chainId: number): string =>
  `user-operations ${accountId} ${chainId}`;

const UNEXECUTED: readonly OperationState[] = ['signed', 'submitted', 'stuck'];
/** An operation that made so many transactions revert is `stuck`, because each of them cost gas. */
const MAX_STRIKES = 3;
const IS_LAST_STRIKE = `o.strikes + 1 >= ${MAX_STRIKES}`;
/**
 * The pause after the first strike for a refused transaction; the second one doubles it, and after the third one it is an hour. Each refusal
 * blocks an executor for more than five minutes.
 */
const STRIKE_PAUSE_MS = 20 * MINUTE_MS;
/** Operations of one statement that lapse. */
export const MAX_LAPSED = 200;
/** Operations of one look that executors take over from a bundler. The next look takes more of them. */
const MAX_RETURNED = 500;
/** Characters of the inclusion records of one statement: logs of an operation may have half a megabyte. */
const MAX_STATEMENT_CHARACTERS = 2_000_000;

/** SQL condition: the operation is in no transaction of an executor, though a bundler may have been sent it. */
const IS_UNSENT = `(o.state IN ('signed', 'stuck') OR o.state = 'submitted'
  AND EXISTS (SELECT FROM account_kit.bundler_submissions AS s WHERE s.operation_id = o.id)
  AND ${isNot(isInTransaction('o'))})`;
/** SQL condition: an executor may send what a bundler was sent. */
const CAN_LEAVE_BUNDLER = `(o.valid_until IS NULL OR o.valid_until > now()) AND ${isNot(isCancelled('o'))} AND ${isNot(hasLapsed('o'))}
  AND ${isNot(`EXISTS (
    SELECT FROM account_kit.executor_transaction_operations AS link
    JOIN account_kit.executor_transactions AS t ON t.id = link.transaction_id
    WHERE link.operation_id = o.id AND t.state <> 'replaced')`)}`;

interface SignedOperation {
  readonly id: string;
  readonly hash: Hex;
  readonly signature: Hex;
}

/** An operation with where it was executed. */
export interface RecordedOperation {
  readonly id: string;
  readonly record: InclusionRecord;
}

const idRows = z.array(z.object({ id: z.string() }));

/**
 * Every change of the state of a user operation. Each is fenced: an operation that another instance has moved on stays as it is. Methods with
 * a manager are parts of the caller's transaction.
 */
@Injectable()
export class OperationStateRepository {
  private readonly signedOperations = createBatcher(
    (signed: readonly SignedOperation[]) => this.markAllSigned(signed),
    { batchWindowMs: 0 },
  );

  constructor(
    private readonly database: Database,
    private readonly hooks: OperationStateHooks,
    private readonly transitions: StateTransitions,
  ) {}

  /** Runs the hooks of operations that the transaction has stored. */
  async recordAccepted(manager: EntityManager, operationIds: readonly string[]): Promise<void> {
    await this.hooks.run(
      manager,
      operationIds.map((id) => ({ id, state: 'accepted' })),
    );
  }

  /**
   * @returns false if the operation is not `accepted` any more, such as when another instance has signed it, or was accepted too long ago
   *   for a caller that cannot repeat its request
   */
  markSigned(id: string, signed: { readonly hash: Hex; readonly signature: Hex }): Promise<boolean> {
    return this.signedOperations.load({ id, ...signed });
  }

  /** Stores signatures that were made at the same time in one transaction; each alone if that fails. */
  private async markAllSigned(signed: readonly SignedOperation[]): Promise<(boolean | Error)[]> {
    try {
      return await this.storeSignatures(signed);
    } catch (error) {
      if (signed.length === 1) throw error;
      const outcomes = await Promise.allSettled(signed.map((one) => this.storeSignatures([one])));
      return outcomes.map((outcome) =>
        outcome.status === 'fulfilled' ? outcome.value[0] === true : (outcome.reason as Error),
      );
    }
  }

  /** A caller without an idempotency key that has waited `UNANSWERED_SECONDS` pays again unless it finds the operation in the list. */
  private async storeSignatures(signed: readonly SignedOperation[]): Promise<boolean[]> {
    const changed = await this.hooks.runWith(this.database, ['signed'], (manager) =>
      this.change(manager, {
        from: ['accepted'],
        to: 'signed',
        set: 'hash = given.hash, signature = given.signature',
        given: 'unnest(:ids::uuid[], :hashes::text[], :signatures::bytea[]) AS given (id, hash, signature)',
        where: `o.id = ANY(:ids::uuid[]) AND o.id = given.id
          AND (o.accepted_at > clock_timestamp() - :maxSigningMs * interval '1 ms' OR ${CAN_BE_REPEATED})`,
        parameters: {
          ids: signed.map(({ id }) => id),
          hashes: signed.map(({ hash }) => hash),
          signatures: signed.map(({ signature }) => Buffer.from(hexToBytes(signature))),
          maxSigningMs: MAX_SIGNING_MS,
        },
      }),
    );
    const ids = new Set(changed);
    return signed.map(({ id }) => ids.has(id));
  }

  /** Rejects an operation that was never signed, so its nonce is free again. @returns false if it is not `accepted` any more */
  async rejectUnsigned(manager: EntityManager, id: string, reason: string): Promise<boolean> {
    const changed = await this.change(manager, {
      from: ['accepted'],
      to: 'rejected',
      set: 'reason = :reason',
      where: 'o.id = :id',
      parameters: { id, reason },
    });
    return changed.length === 1;
  }

  /**
   * Locks operations, as whoever stores a cancellation of one does: a cancellation that is made now waits, and one that was made is seen by
   * the statements after this one.
   */
  async lock(manager: EntityManager, ids: readonly string[]): Promise<void> {
    await queryRows(
      manager,
      'SELECT FROM account_kit.user_operations WHERE id = ANY($1::uuid[]) ORDER BY id FOR UPDATE',
      [ids],
    );
  }

  /** Moves locked operations into a transaction of an executor. @returns how many may still be sent by it */
  async submit(manager: EntityManager, ids: readonly string[], executor: string): Promise<number> {
    const changed = await this.change(manager, {
      from: ['signed', 'stuck'],
      to: 'submitted',
      set: 'next_attempt_at = NULL, reason = NULL, hold_reason = NULL, simulation_failures = 0',
      where: `o.id = ANY(:ids::uuid[]) AND ${isNot(isOperationFrozen('o'))} AND ${isNot(isCancelled('o'))}
        AND ${isNobodyElses(':executor')}`,
      parameters: { ids, executor },
    });
    return changed.length;
  }

  /** Gives a locked operation to a bundler. @returns false if it may not be sent any more */
  async submitToBundler(manager: EntityManager, id: string): Promise<boolean> {
    const changed = await this.change(manager, {
      from: ['signed', 'stuck'],
      to: 'submitted',
      set: 'next_attempt_at = NULL, reason = NULL',
      where: `o.id = :id AND NOT ${isOperationFrozen('o')} AND ${isNot(isCancelled('o'))} AND ${isNot(hasLapsed('o'))}`,
      parameters: { id },
    });
    return changed.length === 1;
  }

  /**
   * Gives what a bundler was sent to own executors, which send the operations of the chain by now: at once if the bundler refused it, else when
   * the bundler would get it again. The bundler may still execute it, and the bytes are the same, so it runs once.
   */
  returnFromBundler(chainId: number): Promise<void> {
    return this.database.transaction(async (manager) => {
      const rows = await queryRows(
        manager,
        `SELECT o.id FROM account_kit.user_operations AS o JOIN account_kit.bundler_submissions AS s ON s.operation_id = o.id
         WHERE o.chain_id = $1 AND o.state = 'submitted' AND (s.next_attempt_at <= now() OR o.reason IS NOT NULL) AND ${CAN_LEAVE_BUNDLER}
         ORDER BY o.id LIMIT ${MAX_RETURNED}`,
        [chainId],
      );
      const ids = idRows.parse(rows).map(({ id }) => id);
      if (ids.length === 0) return;
      await this.change(manager, {
        from: ['submitted'],
        to: 'signed',
        set: 'reason = NULL, next_attempt_at = NULL',
        where: `o.id = ANY(:ids::uuid[]) AND ${CAN_LEAVE_BUNDLER}`,
        parameters: { ids },
      });
    });
  }

  /** Bundles operations again that none of their transactions can execute any more. */
  async returnSubmitted(ids: readonly string[]): Promise<void> {
    if (ids.length > 0)
      await this.database.transaction((manager) => this.returnTo(manager, ids, { goAlone: false }));
  }

  /** Bundles operations of an ended transaction again, each alone where one of them may be why it ended. */
  async returnTo(
    manager: EntityManager,
    ids: readonly string[],
    { goAlone }: { readonly goAlone: boolean },
  ): Promise<void> {
    if (ids.length === 0) return;
    await this.change(manager, {
      from: ['submitted'],
      to: 'signed',
      set: goAlone ? 'goes_alone = true' : undefined,
      where: 'o.id = ANY(:ids::uuid[])',
      parameters: { ids },
    });
  }

  /** Finds the operation among some that made a transaction revert. */
  async findReverter(
    manager: EntityManager,
    ids: readonly string[],
    reverter: Reverter | undefined,
  ): Promise<string[]> {
    if (!reverter) return [];
    const rows = await queryRows(
      manager,
      `SELECT id FROM account_kit.user_operations
       WHERE id = ANY($1::uuid[]) AND lower(sender) = lower($2) AND nonce_key = $3 AND nonce_sequence = $4`,
      [ids, reverter.sender, String(reverter.nonce.key), String(reverter.nonce.sequence)],
    );
    return idRows.parse(rows).map(({ id }) => id);
  }

  /** Counts a reverted transaction against the operations that made it revert. */
  async strikeReverted(manager: EntityManager, ids: readonly string[], reason: string): Promise<void> {
    if (ids.length === 0) return;
    await this.change(manager, {
      from: ['submitted'],
      to: { sql: `CASE WHEN ${IS_LAST_STRIKE} THEN 'stuck' ELSE 'signed' END` },
      set: `strikes = o.strikes + 1, goes_alone = true,
        reason = CASE WHEN ${IS_LAST_STRIKE} THEN :lastReason::text ELSE :reason::text END,
        next_attempt_at = CASE WHEN ${IS_LAST_STRIKE} THEN now() + interval '1 hour' ELSE o.next_attempt_at END`,
      where: 'o.id = ANY(:ids::uuid[])',
      parameters: { ids, reason, lastReason: `reverted ${MAX_STRIKES} transactions: ${reason}` },
    });
  }

  /** Counts a transaction that nodes did not take against its only operation, which pauses for longer than it has blocked the executor. */
  async strikeRefused(manager: EntityManager, id: string, reason: string): Promise<void> {
    await this.change(manager, {
      from: ['submitted'],
      to: { sql: `CASE WHEN ${IS_LAST_STRIKE} THEN 'stuck' ELSE 'signed' END` },
      set: `goes_alone = true, strikes = o.strikes + 1, reason = :reason,
        next_attempt_at = now() + least(o.strikes + 1, ${MAX_STRIKES}) * interval '${STRIKE_PAUSE_MS} ms'`,
      where: 'o.id = :id',
      parameters: { id, reason },
    });
  }

  /** Marks operations that have failed their simulations for minutes. They are still tried. */
  async markStuck(manager: EntityManager, ids: readonly string[]): Promise<void> {
    if (ids.length === 0) return;
    await this.change(manager, {
      from: ['signed'],
      to: 'stuck',
      where: 'o.id = ANY(:ids::uuid[])',
      parameters: { ids },
    });
  }

  /**
   * Operations without a sponsor whose day has ended are not tried any more, also those that a bundler was sent; of each application the
   * oldest first, then the second of each. A cancellation is made when their lane is wanted. What is in a transaction of an executor stays
   * `submitted`.
   * @returns how many have lapsed, at most `MAX_LAPSED`
   */
  endLapsed(chainId: number): Promise<number> {
    return this.database.transaction(async (manager) => {
      const rows = await queryRows(
        manager,
        `SELECT o.id FROM account_kit.user_operations AS o
         WHERE o.chain_id = $1 AND ${IS_UNSENT} AND ${hasLapsed('o')} AND o.reason IS DISTINCT FROM $2
         ORDER BY row_number() OVER (PARTITION BY o.client_id ORDER BY o.accepted_at), o.accepted_at LIMIT ${MAX_LAPSED}`,
        [chainId, LAPSED_REASON],
      );
      const ids = idRows.parse(rows).map(({ id }) => id);
      if (ids.length === 0) return 0;
      await this.change(manager, {
        from: ['signed', 'stuck', 'submitted'],
        to: 'stuck',
        set: 'reason = :reason, hold_reason = NULL, next_attempt_at = NULL',
        where: `o.id = ANY(:ids::uuid[]) AND ${IS_UNSENT} AND ${hasLapsed('o')}`,
        parameters: { ids, reason: LAPSED_REASON },
      });
      return ids.length;
    });
  }

  markIncluded(operations: readonly RecordedOperation[]): Promise<void> {
    return this.recordInclusions(operations, UNEXECUTED);
  }

  /** The operations are in other blocks than before. */
  moveInclusion(operations: readonly RecordedOperation[]): Promise<void> {
    return this.recordInclusions(operations, ['included']);
  }

  private async recordInclusions(
    operations: readonly RecordedOperation[],
    from: readonly OperationState[],
  ): Promise<void> {
    for (const some of inStatements(operations))
      await this.database.transaction(async (manager) => {
        await this.change(manager, {
          from,
          to: 'included',
          set: `transaction_hash = given.transaction_hash, block_number = given.block_number, block_hash = given.block_hash,
            success = given.success, reason = given.reason, actual_gas_used = given.actual_gas_used,
            actual_gas_cost = given.actual_gas_cost, receipt = given.receipt, next_attempt_at = NULL`,
          given: `jsonb_to_recordset(:records::jsonb) AS given (id uuid, transaction_hash text, block_number bigint, block_hash text,
            success boolean, reason text, actual_gas_used numeric, actual_gas_cost numeric, receipt jsonb)`,
          where: 'o.id = ANY(:ids::uuid[]) AND o.id = given.id',
          parameters: {
            ids: some.map(({ id }) => id),
            records: `[${some.map(({ json }) => json).join()}]`,
          },
        });
      });
  }

  /** Marks an operation as submitted again: after a reorganisation it is in no block any more. */
  async markSubmitted(id: string, blockHash: Hex): Promise<void> {
    await this.database.transaction((manager) =>
      this.change(manager, {
        from: ['included'],
        to: 'submitted',
        set: `transaction_hash = NULL, block_number = NULL, block_hash = NULL, success = NULL, reason = NULL,
          actual_gas_used = NULL, actual_gas_cost = NULL, receipt = NULL`,
        where: 'o.id = :id AND o.block_hash = :blockHash',
        parameters: { id, blockHash },
      }),
    );
  }

  /** Ends operations of blocks that are deep enough. */
  async markFinal(
    operations: readonly { readonly id: string; readonly blockHash: Hex; readonly success: boolean }[],
  ): Promise<void> {
    if (operations.length === 0) return;
    await this.database.transaction((manager) =>
      this.change(manager, {
        from: ['included'],
        to: { sql: "CASE WHEN given.success THEN 'final' ELSE 'reverted' END" },
        given:
          'unnest(:ids::uuid[], :blockHashes::text[], :successes::boolean[]) AS given (id, block_hash, success)',
        where: 'o.id = ANY(:ids::uuid[]) AND o.id = given.id AND o.block_hash = given.block_hash',
        parameters: {
          ids: operations.map(({ id }) => id),
          blockHashes: operations.map(({ blockHash }) => blockHash),
          successes: operations.map(({ success }) => success),
        },
      }),
    );
  }

  /** Marks an operation as dead. The caller has a proof that it can never be executed. */
  async markDead(id: string, to: 'rejected' | 'expired', reason: string): Promise<void> {
    await this.database.transaction((manager) =>
      this.change(manager, {
        from: UNEXECUTED,
        to,
        set: 'reason = :reason, next_attempt_at = NULL',
        where: 'o.id = :id',
        parameters: { id, reason },
      }),
    );
  }

  /** @returns ids of the operations that have changed */
  private async change(manager: EntityManager, transition: Transition<OperationState>): Promise<string[]> {
    const changes = await this.transitions.transition(manager, OPERATIONS, transition);
    await this.hooks.run(manager, changes);
    return changes.map(({ id }) => id);
  }
}

/** Operations of one statement each; at least one. */
function inStatements(operations: readonly RecordedOperation[]): { id: string; json: string }[][] {
  const statements: { id: string; json: string }[][] = [];
  let characters = Infinity;
  for (const operation of operations) {
    const given = { id: operation.id, json: toGivenRecord(operation) };
    characters += given.json.length;
    if (characters > MAX_STATEMENT_CHARACTERS) {
      statements.push([]);
      characters = given.json.length;
    }
    statements.at(-1)?.push(given);
  }
  return statements;
}

const toGivenRecord = ({ id, record }: RecordedOperation): string =>
  toStoredJson({
    id,
    transaction_hash: record.transactionHash,
    block_number: String(record.blockNumber),
    block_hash: record.blockHash,
    success: record.success,
    reason: record.reason,
    actual_gas_used: String(record.actualGasUsed),
    actual_gas_cost: String(record.actualGasCost),
    receipt: record.receipt,
  });
