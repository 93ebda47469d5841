import { Database } from '@app/database';
import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import type { Hex } from 'viem';
import { hexToBytes } from 'viem/utils';
import { z } from 'zod';
import { StateEventsService } from '../../states/state-events.service.js';
import { OPERATION_STATES, type OperationState, OperationStateHooks } from './operation-state-hooks.js';

const changedRows = z.array(
  z.object({ operationId: z.string(), state: z.enum(OPERATION_STATES), stateSeq: z.int() }),
);

const RETURNED = `o.id, o.client_id, o.sender, o.chain_id, o.hash, o.kind, o.state, o.state_seq, o.accepted_at, o.changed_at`;
const EVENT = `jsonb_build_object('type', 'operation.changed', 'clientId', changed.client_id, 'account', changed.sender,
  'chainId', changed.chain_id, 'userOpHash', changed.hash, 'kind', changed.kind)`;

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
  /** Of `set`, `given` and `condition`, from $4. */
  readonly parameters?: readonly unknown[];
}

/** Changes states. Every change is fenced: an operation that another instance has moved on stays as it is. */
@Injectable()
export class OperationStateRepository {
  constructor(
    private readonly database: Database,
    private readonly hooks: OperationStateHooks,
    private readonly events: StateEventsService,
  ) {}

  /** Runs the hooks of an operation that the transaction has stored. */
  async recordAccepted(manager: EntityManager, operationId: string): Promise<void> {
    await this.hooks.run(manager, [{ operationId, state: 'accepted', stateSeq: 1 }]);
  }

  /** @returns false if the operation is not `accepted` any more, such as when another instance has signed it */
  async markSigned(
    id: string,
    { hash, signature }: { readonly hash: Hex; readonly signature: Hex },
  ): Promise<boolean> {
    const set = ['hash = $4', 'signature = $5'];
    const parameters = [hash, Buffer.from(hexToBytes(signature))];
    const changed = await this.hooks.runWith(this.database, ['signed'], (manager) =>
      this.change(manager, { ids: [id], from: ['accepted'], to: 'signed', set, parameters }),
    );
    return changed.length === 1;
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
