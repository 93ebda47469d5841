import { randomUUID } from 'node:crypto';
import { MINUTE_MS } from '@app/common';
import { Database, lockTransaction, queryRows, toStoredText } from '@app/database';
import { Injectable } from '@nestjs/common';
import { LRUCache } from 'lru-cache';
import type { EntityManager } from 'typeorm';
import type { Address, Hex } from 'viem';
import { z } from 'zod';
import { holdFreezes } from '../../../limits/freezes.queries.js';
import type { Reverter } from '../bundles/find-reverter.js';
import { type ChainLease, ChainLeaseRepository } from '../chain-lease.repository.js';
import { OperationStateRepository } from '../operation-state.repository.js';
import {
  type ExecutedTransaction,
  type GiveUpReason,
  executedTransaction,
  type MinedTransaction,
  type NewTransaction,
  type TransactionVariant,
  type UsedTransaction,
  usedTransaction,
  type WaitingTransaction,
  waitingTransaction,
} from './stored-transaction.js';
import { hexToBytes } from 'viem/utils';

/** Another instance has moved an operation of the bundle on. */
export class BundleConflictError extends Error {
  override readonly name = 'BundleConflictError';
}

/** A transaction that every node refuses, or that no block takes, gives its nonce up after this time and `MIN_GIVE_UP_BLOCKS`. */
const MIN_GIVE_UP_MS = 5 * MINUTE_MS;
/**
 * The nonce of a transaction is given up when the signature of a sponsor ends in this time, ten blocks of Ethereum: then the empty variant
 * is mined before the transaction could revert. Operations are claimed five minutes before their end at the latest.
 */
const EXPIRY_MARGIN_MS = 2 * MINUTE_MS;

/** An executor has at most eight transactions at a time, which have few variants. */
const MAX_KNOWN_BYTES = 200;
const MAX_FOLLOWED = 100;
/** Disputed transactions that are sent again with each block: an executor has at most eight that wait. */
const MAX_DISPUTED = 8;

const chainCount = z.object({ chainId: z.int(), count: z.int() });
type ChainCount = z.output<typeof chainCount>;

const returnedOperation = z.object({
  id: z.string(),
  refusal: z.string().nullable(),
  reason: z.enum(['refused', 'unmined', 'unpaid', 'expiring']),
});
type ReturnedOperation = z.output<typeof returnedOperation>;

interface ExecutorNonces {
  /** The next nonce of the executor as one node counts. */
  readonly nextNonce: number;
  /** The next nonce as far as further nodes agree, at most `nextNonce`. */
  readonly confirmedNonce: number;
}

@Injectable()
export class ExecutorTransactionRepository {
  /** Long bytes that never change are read once: the data of a transaction by its id, and raw variants by their hashes. */
  private readonly knownBytes = new LRUCache<string, Hex>({ max: MAX_KNOWN_BYTES });

  constructor(
    private readonly database: Database,
    private readonly leases: ChainLeaseRepository,
    private readonly states: OperationStateRepository,
  ) {}

  /** Stores a transaction before it is sent, and its operations as `submitted`. @returns its id @throws LeaseLostError, BundleConflictError */
  async insert(lease: ChainLease, transaction: NewTransaction): Promise<string> {
    const { nonce, entryPoint, data, gas, operationIds, variant } = transaction;
    const id = randomUUID();
    await this.database.transaction(async (manager) => {
      await this.leases.check(manager, lease);
      await holdFreezes(manager);
      // Executors that store bundles at the same time would not see each other's operations of one account.
      await lockTransaction(manager, `bundles of chain ${lease.chainId}`);
      await this.states.lock(manager, operationIds);
      await queryRows(
        manager,
        `INSERT INTO account_kit.executor_transactions
           (id, chain_id, executor, nonce, entry_point, data, gas, state, first_block)
         VALUES ($1, $2, $3, $4, $5, $6, $7, 'pending', $8)`,
        [id, lease.chainId, lease.name, nonce, entryPoint, toBuffer(data), gas, variant.blockNumber],
      );
      await insertVariant(manager, id, { ...variant, number: 1, isEmpty: false });
      await queryRows(
        manager,
        `INSERT INTO account_kit.executor_transaction_operations (operation_id, transaction_id)
         SELECT unnest($2::uuid[]), $1`,
        [id, operationIds],
      );
      const count = await this.states.submit(manager, operationIds, lease.name);
      if (count !== operationIds.length) throw new BundleConflictError('operations have moved on');
    });
    this.knownBytes.set(id, data);
    this.knownBytes.set(variant.hash, variant.raw);
    return id;
  }

  /**
   * Stores a variant with higher fees before it is sent.
   * @param givenUpFor why the variant is empty, if it is the first empty one
   * @throws LeaseLostError
   */
  async addVariant(
    lease: ChainLease,
    transactionId: string,
    variant: TransactionVariant,
    givenUpFor?: GiveUpReason,
  ): Promise<void> {
    await this.database.transaction(async (manager) => {
      await this.leases.check(manager, lease);
      if (givenUpFor)
        await queryRows(
          manager,
          'UPDATE account_kit.executor_transactions SET given_up_for = $2 WHERE id = $1',
          [transactionId, givenUpFor],
        );
      await insertVariant(manager, transactionId, variant);
    });
    this.knownBytes.set(variant.hash, variant.raw);
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

  /**
   * Transactions that wait to be mined, in the order of their nonces. What one node has mined and further nodes deny is not among them: it
   * would fill the limit, and take the place of the transaction that the others wait for.
   */
  findWaiting(lease: ChainLease, nonces: ExecutorNonces): Promise<WaitingTransaction[]> {
    const condition = `(t.state = 'pending' OR (t.state = 'mined' AND t.nonce >= $7))`;
    return this.findFrom(lease, nonces, condition, MAX_FOLLOWED);
  }

  /** The first transactions that one node has mined, and further nodes deny. */
  findDisputed(lease: ChainLease, nonces: ExecutorNonces): Promise<WaitingTransaction[]> {
    return this.findFrom(lease, nonces, `t.state = 'mined' AND t.nonce < $7`, MAX_DISPUTED);
  }

  private async findFrom(
    { chainId, name }: ChainLease,
    { nextNonce, confirmedNonce }: ExecutorNonces,
    condition: string,
    limit: number,
  ): Promise<WaitingTransaction[]> {
    const known = new Map(this.knownBytes.entries());
    const rows = await this.database.query(
      `SELECT t.id, t.nonce, t.entry_point AS "entryPoint", t.gas, t.state, (${VARIANTS}) AS variants,
         t.refused_since_block AS "refusedSinceBlock",
         coalesce(t.refused_since <= now() - $5 * interval '1 ms', false) AS "isRefusedForLong",
         t.created_at <= now() - $5 * interval '1 ms' AS "isOld", t.given_up_for IS NOT NULL AS "isGivenUp",
         EXISTS (SELECT FROM account_kit.executor_transaction_operations AS link
           JOIN account_kit.user_operations AS o ON o.id = link.operation_id
           WHERE link.transaction_id = t.id AND o.valid_until <= now() + $6 * interval '1 ms') AS "isExpiring",
         (${paidFee('max_fee_per_gas')}) AS "paidMaxFee", (${paidFee('max_priority_fee_per_gas')}) AS "paidPriorityFee",
         CASE WHEN t.id::text <> ALL ($4::text[]) THEN encode(t.data, 'hex') END AS data
       FROM account_kit.executor_transactions AS t
       WHERE t.chain_id = $1 AND t.executor = $2 AND t.nonce >= $3 AND ${condition}
       ORDER BY t.nonce LIMIT ${limit}`,
      [chainId, name, confirmedNonce, [...known.keys()], MIN_GIVE_UP_MS, EXPIRY_MARGIN_MS, nextNonce],
    );
    const complete = (key: string, read: Hex | null): Hex => {
      const found = read ?? known.get(key);
      if (found === undefined) throw new Error('the bytes of a transaction were neither read nor known');
      this.knownBytes.set(key, found);
      return found;
    };
    return z
      .array(waitingTransaction)
      .parse(rows)
      .map((row) => ({
        ...row,
        data: complete(row.id, row.data),
        variants: row.variants.map((variant) => ({ ...variant, raw: complete(variant.hash, variant.raw) })),
      }));
  }

  /**
   * Transactions whose nonces are used and that must be looked at: those that are not known to be mined, then those that may be final, about
   * which nodes may disagree for long.
   * @param finalBlock transactions of this block and of those before it are final
   */
  async findUsed(
    { chainId, name }: ChainLease,
    { nextNonce, finalBlock }: { nextNonce: number; finalBlock: bigint },
  ): Promise<UsedTransaction[]> {
    const rows = await this.database.query(
      `SELECT t.id, t.nonce, t.state,
         (SELECT json_agg(hash ORDER BY number) FROM account_kit.executor_transaction_variants WHERE transaction_id = t.id) AS hashes,
         ARRAY(SELECT hash FROM account_kit.executor_transaction_variants
           WHERE transaction_id = t.id AND is_empty) AS "emptyHashes"
       FROM account_kit.executor_transactions AS t
       WHERE t.chain_id = $1 AND t.executor = $2 AND t.nonce < $3
         AND (t.state = 'pending' OR (t.state = 'mined' AND t.block_number <= $4))
       ORDER BY t.state = 'mined', t.nonce LIMIT ${MAX_FOLLOWED}`,
      [chainId, name, nextNonce, finalBlock],
    );
    return z.array(usedTransaction).parse(rows);
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

  /** Marks a transaction as pending again: after a reorganisation it is in no block any more. */
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

  /** @returns false if another instance did it before */
  async markFinal(id: string): Promise<boolean> {
    const rows = await this.database.query(
      `WITH changed AS (
         UPDATE account_kit.executor_transactions SET state = 'final' WHERE id = $1 AND state = 'mined' RETURNING id
       ) SELECT id FROM changed`,
      [id],
    );
    return rows.length > 0;
  }

  /**
   * The transaction reverted as a whole, and executed no operation: they are bundled again. The reverter gets a strike. Where it is unknown,
   * each operation goes alone next, so that the one that reverts is known, and the others are not hurt again.
   */
  markReverted(
    id: string,
    { transactionHash, blockNumber }: MinedTransaction,
    reverter: Reverter | undefined,
  ): Promise<void> {
    return this.database.transaction(async (manager) => {
      const set = `state = 'mined', transaction_hash = $2, block_number = $3`;
      const ids = await settle(manager, id, set, [transactionHash, blockNumber]);
      const guilty = ids.length === 1 ? ids : await this.states.findReverter(manager, ids, reverter);
      const others = ids.filter((one) => !guilty.includes(one));
      await this.states.returnTo(manager, others, { goAlone: guilty.length === 0 });
      await this.states.strikeReverted(
        manager,
        guilty,
        toStoredText(reverter?.reason ?? 'its transaction reverted'),
      );
    });
  }

  /** Another transaction of the executor took the nonce: this one is never executed, and costs nothing. */
  markReplaced(id: string): Promise<void> {
    return this.database.transaction(async (manager) => {
      const ids = await settle(manager, id, `state = 'replaced'`, []);
      await this.states.returnTo(manager, ids, { goAlone: false });
    });
  }

  /** What a transaction that was mined in a block has executed, and what the executor executed before it in the same block. */
  async loadExecuted(id: string, blockNumber: bigint): Promise<ExecutedTransaction[]> {
    const rows = await this.database.query(
      `SELECT before.executor, before.entry_point AS "entryPoint", encode(before.data, 'hex') AS data, before.gas
       FROM account_kit.executor_transactions AS t
       JOIN account_kit.executor_transactions AS before
         ON before.chain_id = t.chain_id AND before.executor = t.executor AND before.nonce <= t.nonce
       WHERE t.id = $1 AND (before.id = t.id OR before.block_number = $2) ORDER BY before.nonce`,
      [id, blockNumber],
    );
    return z.array(executedTransaction).parse(rows);
  }

  /** Transactions that every node refuses, by chain. */
  async countRefused(): Promise<ChainCount[]> {
    const rows = await this.database.query(
      `SELECT chain_id::int AS "chainId", count(*)::int AS count FROM account_kit.executor_transactions
       WHERE state = 'pending' AND refused_since IS NOT NULL GROUP BY chain_id`,
    );
    return z.array(chainCount).parse(rows);
  }

  /** Every node refuses the transaction. The first time counts, also after a restart. */
  async markRefused(id: string, block: bigint, refusal: string): Promise<void> {
    await this.database.query(
      `UPDATE account_kit.executor_transactions
       SET refused_since = now(), refused_since_block = $2, refusal = $3
       WHERE id = $1 AND refused_since IS NULL`,
      [id, block, toStoredText(refusal)],
    );
  }

  async markAccepted(id: string): Promise<void> {
    await this.database.query(
      `UPDATE account_kit.executor_transactions SET refused_since = NULL, refused_since_block = NULL WHERE id = $1`,
      [id],
    );
  }

  /**
   * Whether another instance sends with an executor that nothing blocks, while nodes refuse a transaction of this one: it sends what is
   * signed now, which would wait behind the refused transaction here. After a quarter of an hour this executor sends again in any case.
   */
  async hasFreePeer({ chainId, name, holder }: ChainLease): Promise<boolean> {
    const rows = await this.database.query(
      `SELECT FROM account_kit.chain_leases AS lease
       WHERE lease.chain_id = $1 AND lease.name LIKE '0x%' AND lease.name <> $2 AND lease.holder <> $3
         AND lease.leased_until > clock_timestamp()
         AND NOT EXISTS (SELECT FROM account_kit.executor_transactions AS t
           WHERE t.chain_id = $1 AND t.executor = lease.name AND t.state = 'pending' AND t.refused_since IS NOT NULL)
         AND EXISTS (SELECT FROM account_kit.executor_transactions AS t
           WHERE t.chain_id = $1 AND t.executor = $2 AND t.state = 'pending'
             AND t.refused_since > now() - interval '15 minutes')`,
      [chainId, name, holder],
    );
    return rows.length > 0;
  }

  /**
   * A variant without operations has taken the nonce for good, so that no other variant can be executed any more: the operations are
   * bundled again. Where nodes may refuse one of them again, each goes alone; one that was alone already gets a strike, and pauses for longer
   * than it has blocked the executor. Their reservations stay.
   * @returns false if another instance did it before
   */
  returnOperations(id: string): Promise<boolean> {
    return this.database.transaction(async (manager) => {
      const rows = await queryRows(
        manager,
        `WITH changed AS (
           UPDATE account_kit.executor_transactions SET state = 'final' WHERE id = $1 AND state = 'mined'
           RETURNING id, refusal, coalesce(given_up_for, 'refused') AS reason
         )
         SELECT link.operation_id AS id, changed.refusal, changed.reason
         FROM changed JOIN account_kit.executor_transaction_operations AS link ON link.transaction_id = changed.id`,
        [id],
      );
      const operations = z.array(returnedOperation).parse(rows);
      await this.release(manager, operations);
      return operations.length > 0;
    });
  }

  /**
   * Returns the operations of transactions that an instance of an earlier release has made final although an empty variant was mined: that
   * release knows no empty variants, and would leave the operations `submitted` for ever. An operation that a bundler was sent since then is
   * `submitted` again for good reason: own executors find its end by searching for it.
   */
  async returnLeftOperations(chainId: number): Promise<void> {
    await this.database.transaction(async (manager) => {
      const rows = await queryRows(
        manager,
        `SELECT o.id FROM account_kit.executor_transaction_variants AS v
         JOIN account_kit.executor_transactions AS t
           ON t.id = v.transaction_id AND t.state = 'final' AND t.transaction_hash = v.hash AND t.chain_id = $1
         JOIN account_kit.executor_transaction_operations AS link ON link.transaction_id = t.id
         JOIN account_kit.user_operations AS o ON o.id = link.operation_id AND o.state = 'submitted'
         WHERE v.is_empty AND NOT EXISTS (
           SELECT FROM account_kit.executor_transaction_operations AS other
           JOIN account_kit.executor_transactions AS later ON later.id = other.transaction_id
           WHERE other.operation_id = o.id AND later.created_at > t.created_at AND later.state <> 'replaced')
           AND NOT EXISTS (SELECT FROM account_kit.bundler_submissions AS s WHERE s.operation_id = o.id)
         ORDER BY o.id FOR UPDATE OF o`,
        [chainId],
      );
      const ids = z
        .array(z.object({ id: z.string() }))
        .parse(rows)
        .map((row) => row.id);
      await this.states.returnTo(manager, ids, { goAlone: true });
    });
  }

  private async release(manager: EntityManager, operations: readonly ReturnedOperation[]): Promise<void> {
    const ids = operations.map(({ id }) => id);
    const [first] = operations;
    const isSuspect = first !== undefined && (first.reason === 'refused' || first.reason === 'unmined');
    if (!isSuspect || ids.length > 1) {
      await this.states.returnTo(manager, ids, { goAlone: isSuspect });
      return;
    }
    const reason =
      first.reason === 'refused'
        ? `refused: nodes do not take its transaction: ${first.refusal ?? 'unknown'}`
        : 'refused: no block took its transaction';
    await this.states.strikeRefused(manager, first.id, reason);
  }
}

const operationRows = z.array(z.object({ id: z.string() }));

/** Ends a pending transaction that has executed nothing. @returns ids of its operations */
async function settle(
  manager: EntityManager,
  id: string,
  set: string,
  parameters: readonly unknown[],
): Promise<string[]> {
  const rows = await queryRows(
    manager,
    `WITH settled AS (
       UPDATE account_kit.executor_transactions SET ${set} WHERE id = $1 AND state = 'pending' RETURNING id
     )
     SELECT operation_id AS id FROM account_kit.executor_transaction_operations
     WHERE transaction_id IN (SELECT id FROM settled)`,
    [id, ...parameters],
  );
  return operationRows.parse(rows).map((row) => row.id);
}

/** JSON numbers would lose digits. */
const VARIANTS = `
  SELECT json_agg(json_build_object('number', number, 'hash', hash,
    'raw', CASE WHEN hash <> ALL ($4::text[]) THEN encode(raw, 'hex') END,
    'isEmpty', is_empty, 'maxFeePerGas', max_fee_per_gas::text, 'maxPriorityFeePerGas', max_priority_fee_per_gas::text,
    'blockNumber', block_number::text) ORDER BY number)
  FROM account_kit.executor_transaction_variants WHERE transaction_id = t.id`;

/** SQL of the least fee that the operations of a transaction pay. Cancellations pay nothing. */
const paidFee = (column: string): string => `
  SELECT min(o.${column}) FROM account_kit.executor_transaction_operations AS link
  JOIN account_kit.user_operations AS o ON o.id = link.operation_id
  WHERE link.transaction_id = t.id AND o.kind <> 'cancellation'`;

async function insertVariant(
  manager: EntityManager,
  transactionId: string,
  variant: TransactionVariant,
): Promise<void> {
  await queryRows(
    manager,
    `INSERT INTO account_kit.executor_transaction_variants
       (transaction_id, number, hash, raw, max_fee_per_gas, max_priority_fee_per_gas, block_number, is_empty)
     VALUES ($1, $2, $3, $4, $5, $6, $7, $8)`,
    [
      transactionId,
      variant.number,
      variant.hash,
      toBuffer(variant.raw),
      variant.maxFeePerGas,
      variant.maxPriorityFeePerGas,
      variant.blockNumber,
      variant.isEmpty,
    ],
  );
}

const toBuffer = (hex: Hex): Buffer => Buffer.from(hexToBytes(hex));
