import { Injectable, type OnModuleInit } from '@nestjs/common';
import { settleOperations } from '../limits/reservations.queries.js';
import { OperationStateHooks } from './execution/operation-state-hooks.js';

/** Lets caps count what operations have used instead of what they have reserved, in the transaction of each change. */
@Injectable()
export class CapSettlementService implements OnModuleInit {
  constructor(private readonly hooks: OperationStateHooks) {}

  onModuleInit(): void {
    this.hooks.add(
      (manager, changes) =>
        settleOperations(
          manager,
          changes.map(({ operationId }) => operationId),
        ),
      // An operation is `submitted` again after a reorganisation.
      ['submitted', 'included', 'final', 'reverted', 'rejected', 'expired'],
    );
  }
}
