import { Injectable, type OnModuleInit } from '@nestjs/common';
import { settleTransactions } from '../../caps/reservations.queries.js';
import { TransactionStateHooks } from './transaction-state-hooks.js';

/** Lets caps count what transactions have used instead of what they have reserved, in the transaction of each change. */
@Injectable()
export class TransactionCapSettlementService implements OnModuleInit {
  constructor(private readonly hooks: TransactionStateHooks) {}

  onModuleInit(): void {
    this.hooks.add(
      (manager, changes) =>
        settleTransactions(
          manager,
          changes.map(({ transactionId }) => transactionId),
        ),
      // `markDropped` settles those that become `submitted` again.
      ['included', 'final', 'reverted', 'rejected', 'expired'],
    );
  }
}
