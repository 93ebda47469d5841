import { Injectable, type OnModuleInit } from '@nestjs/common';
import { settleOperations } from '../limits/reservations.queries.js';
import { OperationStateHooks } from './execution/operation-state.repository.js';

/** Lets caps count what operations have used instead of what they have reserved, in the transaction of each change. */
@Injectable()
export class CapSettlementService implements OnModuleInit {
  constructor(private readonly hooks: OperationStateHooks) {}

  onModuleInit(): void {
    this.hooks.add(
      (manager, changes) =>
        settleOperations(
          manager,
          changes.map(({ id }) => id),
        ),
      // An operation is `submitted` again after a reorganisation.
      ['submitted', 'included', 'final', 'reverted', 'rejected', 'expired'],
    );
  }
}
