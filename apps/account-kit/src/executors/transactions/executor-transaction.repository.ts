import { randomUUID } from 'node:crypto';
import { Database, queryRows } from '@app/database';
import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import type { Address, Hex } from 'viem';
import { hexToBytes } from 'viem/utils';
import { z } from 'zod';
import { holdFreezes } from '../../freezes/freezes.queries.js';
import { isOperationFrozen } from '../../freezes/is-frozen.js';
import { type ChainLease, ChainLeaseRepository } from '../leases/chain-lease.repository.js';
import { storedAddress, storedAmount as amount, storedHash as hash } from '../stored-values.js';
import { OperationStateRepository } from '../states/operation-state.repository.js';
import type { TransactionFees } from './transaction-fees.js';

/** Another instance has moved an operation of the bundle on. */
export class BundleConflictError extends Error {
  override readonly name = 'BundleConflictError';
}

/** An operation that was in so many transactions that executed nothing is `stuck`, because each of them cost gas. */
const MAX_BUNDLES = 3;

export interface MinedTransaction {
  readonly transactionHash: Hex;
  readonly blockNumber: bigint;
}

export interface TransactionVariant extends TransactionFees {
  readonly number: number;
  readonly hash: Hex;
  readonly raw: Hex;
  /** The newest block when it was stored. */
  readonly blockNumber: bigint;
}

export interface NewTransaction {
  readonly nonce: number;
  readonly entryPoint: Address;
  readonly data: Hex;
  readonly gas: bigint;
  readonly operationIds: readonly string[];
  readonly variant: Omit<TransactionVariant, 'number'>;
}

const bytes = z.string().transform((hex): Hex => `0x${hex}`);

const storedTransaction = z.object({
  id: z.string(),
  nonce: z.coerce.number().int(),
  entryPoint: storedAddress,
  data: bytes,
  gas: amount,
  state: z.enum(['pending', 'mined']),
  transactionHash: hash.nullable(),
  minedBlock: amount.nullable(),
  variants: z.array(
    z.object({
      number: z.int(),
      hash,
      raw: bytes,
      maxFeePerGas: amount,
      maxPriorityFeePerGas: amount,
      blockNumber: amount,
    }),
  ),
});
export type StoredTransaction = z.output<typeof storedTransaction>;

/** JSON numbers would lose digits. */
const VARIANTS = `
  SELECT json_agg(json_build_object('number', number, 'hash', hash, 'raw', encode(raw, 'hex'),
    'maxFeePerGas', max_fee_per_gas::text, 'maxPriorityFeePerGas', max_priority_fee_per_gas::text,
    'blockNumber', block_number::text) ORDER BY number)
  FROM account_kit.executor_transaction_variants WHERE transaction_id = t.id`;

@Injectable()
export class ExecutorTransactionRepository {
  constructor(
    private readonly database: Database,
    private readonly leases: ChainLeaseRepository,
    private readonly states: OperationStateRepository,
  ) {}

  /** Stores a transaction before it is sent, and its operations as `submitted`. @throws LeaseLostError, BundleConflictError */
  async insert(lease: ChainLease, transaction: NewTransaction): Promise<void> {
    const { nonce, entryPoint, data, gas, operationIds, variant } = transaction;
    const id = randomUUID();
    await this.database.transaction(async (manager) => {
      await this.leases.check(manager, lease);
      await holdFreezes(manager);
      await queryRows(
        manager,
        `INSERT INTO account_kit.executor_transactions
           (id, chain_id, executor, nonce, entry_point, data, gas, state, first_block)
         VALUES ($1, $2, $3, $4, $5, $6, $7, 'pending', $8)`,
        [id, lease.chainId, lease.name, nonce, entryPoint, toBuffer(data), gas, variant.blockNumber],
      );
      await insertVariant(manager, id, { ...variant, number: 1 });
      await queryRows(
        manager,
        `INSERT INTO account_kit.executor_transaction_operations (operation_id, transaction_id)
         SELECT unnest($2::uuid[]), $1`,
        [id, operationIds],
      );
      const changed = await this.states.change(manager, {
        ids: operationIds,
        from: ['signed', 'stuck'],
        to: 'submitted',
        set: ['next_attempt_at = NULL', 'reason = NULL'],
        condition: `NOT ${isOperationFrozen('o')}`,
      });
      if (changed.length !== operationIds.length) throw new BundleConflictError('operations have moved on');
    });
  }

  /** Stores a variant with higher fees before it is sent. @throws LeaseLostError */
  async addVariant(lease: ChainLease, transactionId: string, variant: TransactionVariant): Promise<void> {
    await this.database.transaction(async (manager) => {
      await this.leases.check(manager, lease);
      await insertVariant(manager, transactionId, variant);
    });
  }

  /** Executors with transactions that are not final. */
  async findUnfinishedExecutors(chainId: number): Promise<Address[]> {
    const rows = await this.database.query(
      `SELECT DISTINCT executor FROM account_kit.executor_transactions
       WHERE chain_id = $1 AND state IN ('pending', 'mined')`,
      [chainId],
    );
    return z
      .array(z.object({ executor: z.string() }))
      .parse(rows)
      .map(({ executor }) => executor as Address);
  }

  /** In the order of their nonces. */
  async findUnfinished({ chainId, name }: ChainLease): Promise<StoredTransaction[]> {
    const rows = await this.database.query(
      `SELECT t.id, t.nonce, t.entry_point AS "entryPoint", encode(t.data, 'hex') AS data, t.gas, t.state,
         t.transaction_hash AS "transactionHash", t.block_number AS "minedBlock", (${VARIANTS}) AS variants
       FROM account_kit.executor_transactions AS t
       WHERE t.chain_id = $1 AND t.executor = $2 AND t.state IN ('pending', 'mined') ORDER BY t.nonce LIMIT 100`,
      [chainId, name],
    );
    return z.array(storedTransaction).parse(rows);
  }

  /** The nonce after the last stored one; 0 without any. */
  async findNextNonce({ chainId, name }: ChainLease): Promise<number> {
    const rows = await this.database.query(
      `SELECT coalesce(max(nonce) + 1, 0) AS nonce FROM account_kit.executor_transactions
       WHERE chain_id = $1 AND executor = $2`,
      [chainId, name],
    );
    return z.tuple([z.object({ nonce: z.coerce.number().int() })]).parse(rows)[0].nonce;
  }

  /** After a reorganisation the transaction is in no block any more. */
  async markPending(id: string): Promise<void> {
    await this.database.query(
      `UPDATE account_kit.executor_transactions SET state = 'pending', transaction_hash = NULL, block_number = NULL
       WHERE id = $1 AND state = 'mined'`,
      [id],
    );
  }

  async markMined(id: string, { transactionHash, blockNumber }: MinedTransaction): Promise<void> {
    await this.database.query(
      `UPDATE account_kit.executor_transactions SET state = 'mined', transaction_hash = $2, block_number = $3
       WHERE id = $1 AND state IN ('pending', 'mined')`,
      [id, transactionHash, blockNumber],
    );
  }

  async markFinal(id: string): Promise<void> {
    await this.database.query(
      `UPDATE account_kit.executor_transactions SET state = 'final' WHERE id = $1 AND state = 'mined'`,
      [id],
    );
  }

  /** The transaction reverted as a whole, and executed no operation: they are bundled again. */
  markReverted(id: string, { transactionHash, blockNumber }: MinedTransaction): Promise<void> {
    return this.settleUnexecuted(id, `state = 'mined', transaction_hash = $2, block_number = $3`, [
      transactionHash,
      blockNumber,
    ]);
  }

  /** Another transaction of the executor took the nonce: this one is never executed. */
  markReplaced(id: string): Promise<void> {
    return this.settleUnexecuted(id, `state = 'replaced'`, []);
  }

  private settleUnexecuted(id: string, set: string, parameters: readonly unknown[]): Promise<void> {
    return this.database.transaction(async (manager) => {
      const settled = await queryRows(
        manager,
        `UPDATE account_kit.executor_transactions SET ${set} WHERE id = $1 AND state = 'pending' RETURNING id`,
        [id, ...parameters],
      );
      if (settled.length === 0) return;
      const rows = await queryRows(
        manager,
        `SELECT operation_id AS id, count(*) >= $2 AS "isStuck"
         FROM account_kit.executor_transaction_operations
         WHERE operation_id IN (
           SELECT operation_id FROM account_kit.executor_transaction_operations WHERE transaction_id = $1)
         GROUP BY operation_id`,
        [id, MAX_BUNDLES],
      );
      const operations = z.array(z.object({ id: z.string(), isStuck: z.boolean() })).parse(rows);
      const idsOf = (isStuck: boolean): string[] =>
        operations.filter((operation) => operation.isStuck === isStuck).map(({ id: one }) => one);
      const from = ['submitted'] as const;
      await this.states.change(manager, { ids: idsOf(false), from, to: 'signed' });
      await this.states.change(manager, {
        ids: idsOf(true),
        from,
        to: 'stuck',
        set: ["next_attempt_at = now() + interval '1 hour'", 'reason = $4'],
        parameters: [`was in ${MAX_BUNDLES} transactions that executed nothing`],
      });
    });
  }
}

async function insertVariant(
  manager: EntityManager,
  transactionId: string,
  variant: TransactionVariant,
): Promise<void> {
  await queryRows(
    manager,
    `INSERT INTO account_kit.executor_transaction_variants
       (transaction_id, number, hash, raw, max_fee_per_gas, max_priority_fee_per_gas, block_number)
     VALUES ($1, $2, $3, $4, $5, $6, $7)`,
    [
      transactionId,
      variant.number,
      variant.hash,
      toBuffer(variant.raw),
      variant.maxFeePerGas,
      variant.maxPriorityFeePerGas,
      variant.blockNumber,
    ],
  );
}

const toBuffer = (hex: Hex): Buffer => Buffer.from(hexToBytes(hex));
