import { Database, queryRows } from '@app/database';
import { Injectable } from '@nestjs/common';
import { z } from 'zod';
import { OperationStateRepository } from '../states/operation-state.repository.js';

const chainCount = z.object({ chainId: z.int(), count: z.int() });
type ChainCount = z.output<typeof chainCount>;
const waitingCount = chainCount.extend({ reason: z.string() });
type WaitingCount = z.output<typeof waitingCount>;

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

  /** Operations that wait to be sent, by the beginning of their reason. */
  async countWaiting(): Promise<WaitingCount[]> {
    const rows = await this.database.query(
      `SELECT chain_id::int AS "chainId", count(*)::int AS count,
         CASE WHEN reason LIKE 'fee too low%' THEN 'fee_too_low' WHEN reason LIKE 'fees too high%' THEN 'fees_too_high'
           WHEN reason LIKE 'too large%' THEN 'too_large' WHEN reason LIKE 'AA%' THEN 'simulation' ELSE 'other' END AS reason
       FROM account_kit.user_operations WHERE state IN ('signed', 'stuck') AND reason IS NOT NULL GROUP BY 1, 3`,
    );
    return z.array(waitingCount).parse(rows);
  }

  /** Every node refuses the transaction. The first time counts, also after a restart. */
  async markRefused(id: string, block: bigint): Promise<void> {
    await this.database.query(
      `UPDATE account_kit.executor_transactions SET refused_since = now(), refused_since_block = $2
       WHERE id = $1 AND refused_since IS NULL`,
      [id, block],
    );
  }

  async markAccepted(id: string): Promise<void> {
    await this.database.query(
      `UPDATE account_kit.executor_transactions SET refused_since = NULL, refused_since_block = NULL WHERE id = $1`,
      [id],
    );
  }

  /**
   * A variant without operations has taken the nonce for good, so that no other variant can be executed any more: the operations are
   * bundled again, each alone, because nodes may refuse one of them again. Their reservations stay.
   * @returns false if another instance did it before
   */
  returnOperations(id: string): Promise<boolean> {
    return this.database.transaction(async (manager) => {
      const rows = await queryRows(
        manager,
        `WITH changed AS (
           UPDATE account_kit.executor_transactions SET state = 'final' WHERE id = $1 AND state = 'mined' RETURNING id
         )
         SELECT operation_id AS id FROM account_kit.executor_transaction_operations
         WHERE transaction_id IN (SELECT id FROM changed)`,
        [id],
      );
      const ids = z
        .array(z.object({ id: z.string() }))
        .parse(rows)
        .map((row) => row.id);
      await this.states.change(manager, {
        ids,
        from: ['submitted'],
        to: 'signed',
        set: ['goes_alone = true'],
      });
      return ids.length > 0;
    });
  }
}
