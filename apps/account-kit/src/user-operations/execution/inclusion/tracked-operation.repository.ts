import { operationState, type OperationState } from '@app/dto';
import { Database, toStoredJson } from '@app/database';
import { Injectable } from '@nestjs/common';
import type { Hex } from 'viem';
import { z } from 'zod';
import { LAPSED_REASON } from '../bundles/due-operations.js';
import { storedAmount as amount, storedHash as hash } from '../stored-values.js';
import { OperationStateRepository } from '../operation-state.repository.js';
import type { InclusionRecord } from './to-inclusion-record.js';

/** Operations in one look at the chain. Half of those that are searched for are the newest, and half take turns. */
const MAX_TRACKED = 1_000;
const MAX_FRESH = MAX_TRACKED / 2;
export const FIRST_ID = '00000000-0000-0000-0000-000000000000';
const UNEXECUTED: readonly OperationState[] = ['signed', 'submitted', 'stuck'];

const trackedOperation = z.object({
  id: z.string(),
  hash,
  version: z.enum(['0.7', '0.8']),
  state: operationState,
  firstBlock: amount,
  blockNumber: amount.nullable(),
  blockHash: hash.nullable(),
  success: z.boolean().nullable(),
  hasEnded: z.boolean(),
  wasAtBundler: z.boolean(),
});
/**
 * An operation that was submitted or found in a block, and is not final. `firstBlock` is not after its event; `hasEnded` says that it was in
 * transactions of executors, and that all of them are final or replaced; `wasAtBundler` that a bundler was sent it.
 */
export type TrackedOperation = z.output<typeof trackedOperation>;

/** A block with operations that are not final. */
const inclusionBlock = z.object({ number: amount, hash });
export type InclusionBlock = z.output<typeof inclusionBlock>;

const oldestAge = z.object({ chainId: z.int(), state: operationState, seconds: z.number() });
type OldestAge = z.output<typeof oldestAge>;

/** An operation with where it was executed. */
export interface RecordedOperation {
  readonly id: string;
  readonly record: InclusionRecord;
}

const includedOperation = z.object({
  id: z.string(),
  hash,
  blockHash: hash,
  transactionHash: hash,
  success: z.boolean(),
  actualGasUsed: amount,
  actualGasCost: amount,
});
/** What was recorded of an operation that a block has. */
export type IncludedOperation = z.output<typeof includedOperation>;

const RECORD_COLUMNS = {
  transaction_hash: 'text',
  block_number: 'bigint',
  block_hash: 'text',
  success: 'boolean',
  reason: 'text',
  actual_gas_used: 'numeric',
  actual_gas_cost: 'numeric',
  receipt: 'jsonb',
};
const SET_RECORD = [
  ...Object.keys(RECORD_COLUMNS).map((column) => `${column} = given.${column}`),
  'next_attempt_at = NULL',
];
const GIVEN_COLUMNS = Object.entries({ id: 'uuid', ...RECORD_COLUMNS }).map((entry) => entry.join(' '));
const GIVEN_RECORDS = `jsonb_to_recordset($4::jsonb) AS given(${GIVEN_COLUMNS.join(', ')})`;
/** Logs of an operation may have half a megabyte. */
const MAX_STATEMENT_CHARACTERS = 2_000_000;

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

@Injectable()
export class TrackedOperationRepository {
  constructor(
    private readonly database: Database,
    private readonly states: OperationStateRepository,
  ) {}

  /** The age of the oldest operation in each state before a block has it. */
  async loadOldestAges(): Promise<OldestAge[]> {
    const rows = await this.database.query(
      `SELECT chain_id::int AS "chainId", state, extract(epoch FROM now() - min(accepted_at))::float AS seconds
       FROM account_kit.user_operations WHERE state IN ('accepted', 'signed', 'submitted', 'stuck')
       GROUP BY chain_id, state`,
    );
    return z.array(oldestAge).parse(rows);
  }

  /**
   * Submitted operations that no block is known to have: the newest, and if there are more, some in the order of their ids, which come after
   * `afterId`. A thousand old operations of one tenant hide no operation of another one. What has lapsed is found by its nonce, as all that
   * cannot be sent.
   * @returns the operations, and the id after which the next turn goes on, unset if the list is complete
   */
  async findUnexecuted(
    chainId: number,
    afterId: string,
  ): Promise<{ operations: TrackedOperation[]; nextId: string | undefined }> {
    const condition = `o.state IN ('signed', 'submitted', 'stuck') AND first.block IS NOT NULL AND o.reason IS DISTINCT FROM $3`;
    const newest = { order: 'o.accepted_at DESC', limit: MAX_FRESH };
    const fresh = await this.find(chainId, condition, [LAPSED_REASON], newest);
    if (fresh.length < MAX_FRESH) return { operations: fresh, nextId: undefined };
    const inTurn = { order: 'o.id', limit: MAX_TRACKED - MAX_FRESH };
    const page = await this.find(chainId, `${condition} AND o.id > $4`, [LAPSED_REASON, afterId], inTurn);
    const ids = new Set(fresh.map(({ id }) => id));
    return {
      operations: [...fresh, ...page.filter(({ id }) => !ids.has(id))],
      nextId: page.length < inTurn.limit ? FIRST_ID : (page.at(-1)?.id ?? FIRST_ID),
    };
  }

  async hasIncluded(chainId: number): Promise<boolean> {
    const rows = await this.database.query(
      `SELECT FROM account_kit.user_operations WHERE chain_id = $1 AND state = 'included' LIMIT 1`,
      [chainId],
    );
    return rows.length > 0;
  }

  /** Blocks with operations that are not final, oldest first. */
  async findInclusionBlocks(chainId: number): Promise<InclusionBlock[]> {
    const rows = await this.database.query(
      `SELECT block_number AS number, block_hash AS hash FROM account_kit.user_operations
       WHERE chain_id = $1 AND state = 'included' GROUP BY block_number, block_hash ORDER BY block_number LIMIT $2`,
      [chainId, MAX_TRACKED],
    );
    return z.array(inclusionBlock).parse(rows);
  }

  /** Included operations of blocks, oldest first. */
  async findIncluded(chainId: number, blocks: readonly InclusionBlock[]): Promise<TrackedOperation[]> {
    if (blocks.length === 0) return [];
    const condition = `o.state = 'included' AND o.block_hash = ANY($3::text[])`;
    return this.find(chainId, condition, [blocks.map((block) => block.hash)]);
  }

  /** What was recorded of included operations of blocks, oldest first. */
  async findRecorded(chainId: number, blocks: readonly InclusionBlock[]): Promise<IncludedOperation[]> {
    if (blocks.length === 0) return [];
    const rows = await this.database.query(
      `SELECT id, hash, block_hash AS "blockHash", transaction_hash AS "transactionHash", success,
         actual_gas_used AS "actualGasUsed", actual_gas_cost AS "actualGasCost"
       FROM account_kit.user_operations
       WHERE chain_id = $1 AND state = 'included' AND block_hash = ANY($2::text[]) ORDER BY accepted_at LIMIT $3`,
      [chainId, blocks.map((block) => block.hash), MAX_TRACKED],
    );
    return z.array(includedOperation).parse(rows);
  }

  markIncluded(operations: readonly RecordedOperation[]): Promise<void> {
    return this.record(operations, UNEXECUTED);
  }

  /** The operations are in other blocks than before. */
  moveInclusion(operations: readonly RecordedOperation[]): Promise<void> {
    return this.record(operations, ['included']);
  }

  /** Marks an operation as submitted again: after a reorganisation it is in no block any more. */
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

  /** Bundles operations again that none of their transactions can execute any more. */
  async returnSubmitted(ids: readonly string[]): Promise<void> {
    if (ids.length === 0) return;
    await this.database.transaction(async (manager) => {
      await this.states.change(manager, { ids, from: ['submitted'], to: 'signed' });
    });
  }

  async markFinal(operations: readonly IncludedOperation[]): Promise<void> {
    if (operations.length === 0) return;
    await this.database.transaction(async (manager) => {
      for (const to of ['final', 'reverted'] as const) {
        const settled = operations.filter(({ success }) => success === (to === 'final'));
        await this.states.change(manager, {
          ids: settled.map(({ id }) => id),
          from: ['included'],
          to,
          given: 'unnest($1::uuid[], $4::text[]) AS given(id, block_hash)',
          condition: 'o.id = given.id AND o.block_hash = given.block_hash',
          parameters: [settled.map(({ blockHash }) => blockHash)],
        });
      }
    });
  }

  private async find(
    chainId: number,
    condition: string,
    parameters: readonly unknown[] = [],
    { order, limit } = { order: 'o.accepted_at', limit: MAX_TRACKED },
  ): Promise<TrackedOperation[]> {
    const rows = await this.database.query(
      `SELECT o.id, o.hash, o.account_version AS version, o.state, o.success, coalesce(first.block, o.block_number) AS "firstBlock",
         o.block_number AS "blockNumber", o.block_hash AS "blockHash", coalesce(bundled.ended, false) AS "hasEnded",
         submission.operation_id IS NOT NULL AS "wasAtBundler"
       FROM account_kit.user_operations AS o
       CROSS JOIN LATERAL (
         SELECT min(t.first_block) AS block, bool_and(t.state IN ('final', 'replaced')) AS ended
         FROM account_kit.executor_transaction_operations AS link
         JOIN account_kit.executor_transactions AS t ON t.id = link.transaction_id
         WHERE link.operation_id = o.id) AS bundled
       LEFT JOIN account_kit.bundler_submissions AS submission ON submission.operation_id = o.id
       CROSS JOIN LATERAL (SELECT least(bundled.block, submission.first_block) AS block) AS first
       WHERE o.chain_id = $1 AND ${condition} ORDER BY ${order} LIMIT $2`,
      [chainId, limit, ...parameters],
    );
    return z.array(trackedOperation).parse(rows);
  }

  private async record(
    operations: readonly RecordedOperation[],
    from: readonly OperationState[],
  ): Promise<void> {
    for (const some of inStatements(operations))
      await this.database.transaction(async (manager) => {
        await this.states.change(manager, {
          ids: some.map(({ id }) => id),
          from,
          to: 'included',
          set: SET_RECORD,
          given: GIVEN_RECORDS,
          condition: 'o.id = given.id',
          parameters: [`[${some.map(({ json }) => json).join()}]`],
        });
      });
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
