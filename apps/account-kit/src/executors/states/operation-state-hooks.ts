import type { OperationState } from '@app/dto';
import { Injectable } from '@nestjs/common';
import { type StateHook, StateHooks } from '../../states/state-hooks.js';

export interface OperationStateChange {
  readonly operationId: string;
  readonly state: OperationState;
  /** Rises with each change of the operation. */
  readonly stateSeq: number;
}

export type OperationStateHook = StateHook<OperationStateChange>;

/** What happens with each change of the state of a user operation, from `accepted` on. */
@Injectable()
export class OperationStateHooks extends StateHooks<OperationStateChange> {}
