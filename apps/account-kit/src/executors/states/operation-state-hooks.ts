import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';

export const OPERATION_STATES = [
  'accepted',
  'signed',
  'submitted',
  'included',
  'final',
  'reverted',
  'rejected',
  'expired',
  'stuck',
] as const;
export type OperationState = (typeof OPERATION_STATES)[number];

export interface OperationStateChange {
  readonly operationId: string;
  readonly state: OperationState;
  /** Rises with each change of the operation. */
  readonly stateSeq: number;
}

/** Runs in the transaction of the change, which it rolls back by throwing: for outbox rows, not for calls of other services. */
export type OperationStateHook = (
  manager: EntityManager,
  changes: readonly OperationStateChange[],
) => Promise<void>;

/** What happens with each change of the state of a user operation. */
@Injectable()
export class OperationStateHooks {
  private readonly hooks: OperationStateHook[] = [];

  add(hook: OperationStateHook): void {
    this.hooks.push(hook);
  }

  async run(manager: EntityManager, changes: readonly OperationStateChange[]): Promise<void> {
    if (changes.length === 0) return;
    for (const hook of this.hooks) await hook(manager, changes);
  }
}
