import { Database, queryRows, toStoredText } from '@app/database';
import { Injectable } from '@nestjs/common';
import { z } from 'zod';
import type { EntityManager } from 'typeorm';
import type { ChainLease } from '../chain-lease.repository.js';
import { OperationStateRepository } from '../operation-state.repository.js';

const chainCount = z.object({ chainId: z.int(), count: z.int() });
type ChainCount = z.output<typeof chainCount>;

const returnedOperation = z.object({
  id: z.string(),
  refusal: z.string().nullable(),
  reason: z.enum(['refused', 'unmined', 'unpaid', 'expiring']),
});
type ReturnedOperation = z.output<typeof returnedOperation>;

/** Transactions that every node refuses, and what becomes of their operations. */
@Injectable()
export class RefusedTransactionRepository {
  constructor(
    private readonly database: Database,
    private readonly states: OperationStateRepository,
  ) {}

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
