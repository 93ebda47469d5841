import { operationState, type OperationState } from '@app/dto';
import { createBatcher } from '@app/common';
import { Database } from '@app/database';
import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import type { Hex } from 'viem';
import { hexToBytes } from 'viem/utils';
import { z } from 'zod';
import { MAX_SIGNING_MS } from '../../request-deadline.js';
import { StateEventsService } from '../../states/state-events.service.js';
import { OperationStateHooks } from './operation-state-hooks.js';

/** Name of the lock under which nonces of an account's operations on a chain are given away. */
export const toAccountLock = (accountId: string, chainId: number): string =>
  `user-operations ${accountId} ${chainId}`;

const changedRows = z.array(z.object({ operationId: z.string(), state: operationState, stateSeq: z.int() }));

const RETURNED = `o.id, o.client_id, o.sender, o.chain_id, o.hash, o.kind, o.state, o.state_seq, o.accepted_at, o.changed_at`;
const EVENT = `'type', 'operation.changed', 'clientId', changed.client_id, 'account', changed.sender,
  'chainId', changed.chain_id, 'userOpHash', changed.hash, 'kind', changed.kind`;

/** SQL of whether somebody can repeat the request for an operation, `o`. A cancellation counts as such: it calls nothing. */
export const CAN_BE_REPEATED = `(o.kind = 'cancellation' OR EXISTS (
  SELECT FROM account_kit.idempotency_keys AS k WHERE k.operation_id = o.id))`;
/**
 * SQL of whether a signature may still be stored for an operation, `o`. A caller without an idempotency key that has waited
 * `UNANSWERED_SECONDS` pays again unless it finds the operation in the list.
 */
const MAY_BE_SIGNED = `(o.accepted_at > clock_timestamp() - $6 * interval '1 ms' OR ${CAN_BE_REPEATED})`;

export interface OperationChange {
  readonly ids: readonly string[];
  readonly from: readonly OperationState[];
  readonly to: OperationState;
  /** SQL of further columns. */
  readonly set?: readonly string[];
  /** SQL of a table that `condition` joins, which `set` and `condition` call `given`. */
  readonly given?: string;
  /** SQL of a further condition on the operation, `o`. */
  readonly condition?: string;
  /** Values of the parameters of `set`, `given` and `condition`, from $4 on. */
  readonly parameters?: readonly unknown[];
}

interface SignedOperation {
  readonly id: string;
  readonly hash: Hex;
  readonly signature: Hex;
}

/** Changes states. Every change is fenced: an operation that another instance has moved on stays as it is. */
@Injectable()
export class OperationStateRepository {
  private readonly signedOperations = createBatcher(
    (signed: readonly SignedOperation[]) => this.markAllSigned(signed),
    { batchWindowMs: 0 },
  );

  constructor(
    private readonly database: Database,
    private readonly hooks: OperationStateHooks,
    private readonly events: StateEventsService,
  ) {}

  /** Runs the hooks of operations that the transaction has stored. */
  async recordAccepted(manager: EntityManager, operationIds: readonly string[]): Promise<void> {
    await this.hooks.run(
      manager,
      operationIds.map((operationId) => ({ operationId, state: 'accepted', stateSeq: 1 })),
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

  private async storeSignatures(signed: readonly SignedOperation[]): Promise<boolean[]> {
    const changed = await this.hooks.runWith(this.database, ['signed'], (manager) =>
      this.change(manager, {
        ids: signed.map(({ id }) => id),
        from: ['accepted'],
        to: 'signed',
        set: ['hash = given.hash', 'signature = given.signature'],
        given: 'unnest($1::uuid[], $4::text[], $5::bytea[]) AS given(id, hash, signature)',
        condition: `o.id = given.id AND ${MAY_BE_SIGNED}`,
        parameters: [
          signed.map(({ hash }) => hash),
          signed.map(({ signature }) => Buffer.from(hexToBytes(signature))),
          MAX_SIGNING_MS,
        ],
      }),
    );
    const ids = new Set(changed);
    return signed.map(({ id }) => ids.has(id));
  }

  /** Rejects an operation that was never signed, so its nonce is free again. @returns false if it is not `accepted` any more */
  async rejectUnsigned(manager: EntityManager, id: string, reason: string): Promise<boolean> {
    const set = ['reason = $4'];
    const change = { ids: [id], from: ['accepted'], to: 'rejected', set, parameters: [reason] } as const;
    return (await this.change(manager, change)).length === 1;
  }

  /** @returns ids of the operations that have changed */
  async change(
    manager: EntityManager,
    { ids, from, to, set = [], given, condition = 'true', parameters = [] }: OperationChange,
  ): Promise<string[]> {
    if (ids.length === 0) return [];
    const columns = [
      'state = $2',
      'state_seq = state_seq + 1',
      'changed_at = clock_timestamp()',
      ...set,
    ].join(', ');
    const table = given === undefined ? '' : `FROM ${given}`;
    const rows = await this.events.update(manager, {
      update: `
        UPDATE account_kit.user_operations AS o SET ${columns} ${table}
        WHERE o.id = ANY($1::uuid[]) AND o.state = ANY($3::text[]) AND ${condition}
        RETURNING ${RETURNED}`,
      event: EVENT,
      columns: 'id AS "operationId", state, state_seq AS "stateSeq"',
      parameters: [ids, to, from, ...parameters],
    });
    const changes = changedRows.parse(rows);
    await this.hooks.run(manager, changes);
    return changes.map(({ operationId }) => operationId);
  }
}
