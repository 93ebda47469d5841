import { SECOND_MS } from '@app/common';
import { ItemFailures, ServiceContext } from '@app/service';
import { Injectable } from '@nestjs/common';
import type { SettlementTurn } from './settlement-turn.js';
import type { StoredTransaction } from './stored-transaction.js';
import { TransactionStateRepository } from './transaction-state.repository.js';

/** Longest pause of a transaction that a block may still take. */
const MAX_FRESH_PAUSE_MS = 8 * SECOND_MS;

/** Pauses transactions that fail, each longer after each failure, so that they take less and less of what others need. */
@Injectable()
export class PauseTransactionsService {
  private readonly failures: ItemFailures;

  constructor(
    private readonly states: TransactionStateRepository,
    context: ServiceContext,
  ) {
    this.failures = new ItemFailures(context.logger, 'a Solana transaction waits', {
      idField: 'transactionId',
    });
  }

  /** Pauses those that can still land no longer than it helps to send them again, and forgets earlier failures of those that did not fail. */
  async pause(transactions: readonly StoredTransaction[], turn: SettlementTurn): Promise<void> {
    const pauses: { id: string; pauseMs: number }[] = [];
    for (const transaction of transactions) {
      const { id } = transaction;
      if (!turn.failed.has(id)) this.failures.forget(id);
      else {
        const pauseMs = this.failures.record(id, turn.failed.get(id));
        pauses.push({
          id,
          pauseMs: turn.isOld(transaction) ? pauseMs : Math.min(pauseMs, MAX_FRESH_PAUSE_MS),
        });
      }
    }
    await this.states.postpone(pauses);
  }
}
