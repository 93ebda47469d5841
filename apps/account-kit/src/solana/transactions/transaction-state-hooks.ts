import { Injectable } from '@nestjs/common';
import { StateHooks } from '../../states/state-hooks.js';
import type { SolanaTransactionState } from '@app/dto';

export interface TransactionStateChange {
  readonly transactionId: string;
  readonly state: SolanaTransactionState;
  /** Rises with each change of the transaction. */
  readonly stateSeq: number;
}

/** What happens with each change of the state of a Solana transaction, from `accepted` on. */
@Injectable()
export class TransactionStateHooks extends StateHooks<TransactionStateChange> {}
