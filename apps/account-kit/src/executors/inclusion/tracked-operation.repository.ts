import { Database } from '@app/database';
import { Injectable } from '@nestjs/common';
import type { Hex } from 'viem';
import { z } from 'zod';
import { OPERATION_STATES, type OperationState } from '../states/operation-state-hooks.js';
import { storedAmount as amount, storedHash as hash } from '../stored-values.js';
import { OperationStateRepository } from '../states/operation-state.repository.js';
import type { InclusionRecord } from './to-inclusion-record.js';

/** Operations in one look at the chain, oldest first. */
const MAX_TRACKED = 1_000;
const UNEXECUTED: readonly OperationState[] = ['signed', 'submitted', 'stuck'];

const trackedOperation = z.object({
  id: z.string(),
  hash,
  version: z.enum(['0.7', '0.8']),
  state: z.enum(OPERATION_STATES),
  success: z.boolean().nullable(),
  firstBlock: amount,
  blockNumber: amount.nullable(),
  blockHash: hash.nullable(),
});
/** An operation that was submitted or found in a block, and is not final. `firstBlock` is not after its event. */
export type TrackedOperation = z.output<typeof trackedOperation>;

const RECORD_COLUMNS = [
  'transaction_hash = $4',
  'block_number = $5',
  'block_hash = $6',
  'success = $7',
  'reason = $8',
  'actual_gas_used = $9',
  'actual_gas_cost = $10',
  'receipt = $11',
  'next_attempt_at = NULL',
];

const toParameters = (record: InclusionRecord): unknown[] => [
  record.transactionHash,
  record.blockNumber,
  record.blockHash,
  record.success,
  record.reason,
  record.actualGasUsed,
  record.actualGasCost,
  record.receipt === null ? null : JSON.stringify(record.receipt),
];

@Injectable()
export class TrackedOperationRepository {
  constructor(
    private readonly database: Database,
    private readonly states: OperationStateRepository,
  ) {}

  async findTracked(chainId: number): Promise<TrackedOperation[]> {
    const rows = await this.database.query(
      `SELECT o.id, o.hash, o.account_version AS version, o.state, o.success, coalesce(first.block, o.block_number) AS "firstBlock",
         o.block_number AS "blockNumber", o.block_hash AS "blockHash"
       FROM account_kit.user_operations AS o
       CROSS JOIN LATERAL (
         SELECT min(t.first_block) AS block FROM account_kit.executor_transaction_operations AS link
         JOIN account_kit.executor_transactions AS t ON t.id = link.transaction_id
         WHERE link.operation_id = o.id) AS bundled
       LEFT JOIN account_kit.bundler_submissions AS submission ON submission.operation_id = o.id
       CROSS JOIN LATERAL (SELECT least(bundled.block, submission.first_block) AS block) AS first
       WHERE o.chain_id = $1 AND o.state IN ('signed', 'submitted', 'included', 'stuck') AND coalesce(first.block, o.block_number) IS NOT NULL
       ORDER BY o.accepted_at LIMIT $2`,
      [chainId, MAX_TRACKED],
    );
    return z.array(trackedOperation).parse(rows);
  }

  markIncluded(id: string, record: InclusionRecord): Promise<void> {
    return this.change(id, UNEXECUTED, 'included', record);
  }

  /** The operation is in another block than before; `blockHash` of the record is the new one. */
  moveInclusion(id: string, record: InclusionRecord): Promise<void> {
    return this.change(id, ['included'], 'included', record);
  }

  /** After a reorganisation the operation is in no block any more. */
  async markSubmitted(id: string, blockHash: Hex): Promise<void> {
    const cleared = [
      ...['transaction_hash', 'block_number', 'block_hash', 'success', 'reason'],
      ...['actual_gas_used', 'actual_gas_cost', 'receipt'],
    ].map((column) => `${column} = NULL`);
    await this.database.transaction(async (manager) => {
      await this.states.change(manager, {
        ids: [id],
        from: ['included'],
        to: 'submitted',
        set: cleared,
        condition: 'block_hash = $4',
        parameters: [blockHash],
      });
    });
  }

  /** @param blockHash of the block whose depth was checked */
  async markFinal(id: string, success: boolean, blockHash: Hex): Promise<void> {
    await this.database.transaction(async (manager) => {
      await this.states.change(manager, {
        ids: [id],
        from: ['included'],
        to: success ? 'final' : 'reverted',
        condition: 'block_hash = $4',
        parameters: [blockHash],
      });
    });
  }

  private async change(
    id: string,
    from: readonly OperationState[],
    to: OperationState,
    record: InclusionRecord,
  ): Promise<void> {
    await this.database.transaction(async (manager) => {
      const parameters = toParameters(record);
      await this.states.change(manager, { ids: [id], from, to, set: RECORD_COLUMNS, parameters });
    });
  }
}
