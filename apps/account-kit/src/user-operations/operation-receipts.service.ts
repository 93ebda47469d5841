import { setTimeout as sleep } from 'node:timers/promises';
import { Database } from '@app/database';
import { Injectable } from '@nestjs/common';
import { operationNotFound } from './user-operations.errors.js';
import type { OperationState } from '@app/dto';
import { findReceipt, type OperationReceiptRow } from './user-operations.queries.js';

const FIRST_DELAY_MS = 100;
const MAX_DELAY_MS = 1_000;

/** The operation may still be included; `included` itself has a receipt. */
const PENDING_STATES: readonly OperationState[] = ['accepted', 'signed', 'submitted', 'stuck'];

export const isPending = ({ state }: Pick<OperationReceiptRow, 'state'>): boolean =>
  PENDING_STATES.includes(state);

/** Receipts of user operations. */
@Injectable()
export class OperationReceiptsService {
  constructor(private readonly database: Database) {}

  /**
   * Loads an operation of an account once it is included or has failed, or as it is after `waitMs`. Between two looks the
   * request holds neither a connection nor a job.
   * @throws AppError 404 for unknown operations and those of other accounts
   */
  async load(
    operation: { accountId: string; chainId: number; hash: string },
    { waitMs, signal }: { waitMs: number; signal: AbortSignal },
  ): Promise<OperationReceiptRow> {
    const deadline = performance.now() + waitMs;
    for (let delayMs = FIRST_DELAY_MS; ; delayMs = Math.min(2 * delayMs, MAX_DELAY_MS)) {
      const row = await findReceipt(this.database, operation);
      if (row === undefined) throw operationNotFound();
      const leftMs = deadline - performance.now();
      if (!isPending(row) || leftMs <= 0 || signal.aborted) return row;
      await sleep(Math.min(delayMs, leftMs), undefined, { signal }).catch(() => undefined);
    }
  }
}
