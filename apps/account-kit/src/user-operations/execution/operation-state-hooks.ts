import type { OperationState } from '@app/dto';
import { Injectable } from '@nestjs/common';
import { StateHooks } from '../../states/state-hooks.js';

interface OperationStateChange {
  readonly operationId: string;
  readonly state: OperationState;
  /** Rises with each change of the operation. */
  readonly stateSeq: number;
}

/** What happens with each change of the state of a user operation, from `accepted` on. */
@Injectable()
export class OperationStateHooks extends StateHooks<OperationStateChange> {}
