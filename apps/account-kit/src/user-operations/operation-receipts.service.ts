import { Database } from '@app/database';
import { Injectable } from '@nestjs/common';
import { waitForOutcome } from '../states/wait-for-outcome.js';
import { operationNotFound } from './user-operations.errors.js';
import type { OperationState } from '@app/dto';
import { findReceipt, type OperationReceiptRow } from './user-operations.queries.js';

/** The operation may still be included; `included` itself has a receipt. */
const PENDING_STATES: readonly OperationState[] = ['accepted', 'signed', 'submitted', 'stuck'];

export const isPending = ({ state }: Pick<OperationReceiptRow, 'state'>): boolean =>
  PENDING_STATES.includes(state);

/** Receipts of user operations. */
@Injectable()
export class OperationReceiptsService {
  constructor(private readonly database: Database) {}

  /**
   * Loads an operation of an account once it is included or has failed, or as it is after `waitMs`.
   * @throws AppError 404 for unknown operations and those of other accounts
   */
  async load(
    operation: { accountId: string; chainId: number; hash: string },
    options: { waitMs: number; signal: AbortSignal },
  ): Promise<OperationReceiptRow> {
    const load = async () => {
      const row = await findReceipt(this.database, operation);
      if (row === undefined) throw operationNotFound();
      return row;
    };
    return waitForOutcome(load, isPending, options);
  }
}
