import { queryRows } from '@app/database';
import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { z } from 'zod';
import { OPERATION_STATES, type OperationState, OperationStateHooks } from './operation-state-hooks.js';

const changedRows = z.array(
  z.object({ operationId: z.string(), state: z.enum(OPERATION_STATES), stateSeq: z.int() }),
);

/** Changes states. Every change is fenced: an operation that another instance has moved on stays as it is. */
@Injectable()
export class OperationStateRepository {
  constructor(private readonly hooks: OperationStateHooks) {}

  /**
   * @param set SQL of further columns
   * @param given SQL of a table that `condition` joins, which `set` and `condition` call `given`
   * @param condition SQL of a further condition on the operation, `o`
   * @param parameters of `set`, `given` and `condition`, from $4
   * @returns ids of the operations that have changed
   */
  async change(
    manager: EntityManager,
    {
      ids,
      from,
      to,
      set = [],
      given,
      condition = 'true',
      parameters = [],
    }: {
      readonly ids: readonly string[];
      readonly from: readonly OperationState[];
      readonly to: OperationState;
      readonly set?: readonly string[];
      readonly given?: string;
      readonly condition?: string;
      readonly parameters?: readonly unknown[];
    },
  ): Promise<string[]> {
    if (ids.length === 0) return [];
    const columns = ['state = $2', 'state_seq = state_seq + 1', 'changed_at = now()', ...set].join(', ');
    const table = given === undefined ? '' : `FROM ${given}`;
    const rows = await queryRows(
      manager,
      `UPDATE account_kit.user_operations AS o SET ${columns} ${table}
       WHERE o.id = ANY($1::uuid[]) AND o.state = ANY($3::text[]) AND ${condition}
       RETURNING o.id AS "operationId", o.state, o.state_seq AS "stateSeq"`,
      [ids, to, from, ...parameters],
    );
    const changes = changedRows.parse(rows);
    await this.hooks.run(manager, changes);
    return changes.map(({ operationId }) => operationId);
  }
}
