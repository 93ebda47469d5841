import { DAY_SECONDS } from '@app/common';
import { z } from 'zod';
import { defineQueue, type PayloadOf } from './define-queue.js';

/** Ids of one job. */
export const MAX_SIGNED_IDS = 500;

const ids = z.array(z.uuid()).min(1).max(MAX_SIGNED_IDS);
const options = {
  attempts: 3,
  backoff: { type: 'fixed', delay: 1_000 },
  removeOnComplete: true,
  removeOnFail: { count: 100, age: DAY_SECONDS },
} as const;

/** Signed user operations that wait to be sent. Their rows are the truth: a job only wakes the instance that sends. */
export const userOperationsQueue = defineQueue({
  name: 'user-operations',
  description: 'Signed user operations that wait to be sent. Account-kit alone makes and handles it.',
  payload: z.strictObject({ version: z.literal(1), id: z.uuid(), operationIds: ids }),
  jobId: ({ id }) => id,
  options,
});
export type UserOperationsJob = PayloadOf<typeof userOperationsQueue>;

/** Solana transactions that the instance which signed them could not send, in the same way. */
export const solanaTransactionsQueue = defineQueue({
  name: 'solana-transactions',
  description:
    'Solana transactions that the instance which signed them could not send. Account-kit alone makes and handles it.',
  payload: z.strictObject({ version: z.literal(1), id: z.uuid(), transactionIds: ids }),
  jobId: ({ id }) => id,
  options,
});
export type SolanaTransactionsJob = PayloadOf<typeof solanaTransactionsQueue>;
