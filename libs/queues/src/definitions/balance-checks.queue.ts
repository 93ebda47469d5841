import { DAY_SECONDS } from '@app/common';
import { z } from 'zod';
import { defineQueue, type PayloadOf } from './define-queue.js';

/** A turn of a balance check. Duplicate jobs are harmless, because the check's row fences its progress. */
export const balanceChecksQueue = defineQueue({
  name: 'balance-checks',
  description:
    'One turn of a balance check, whose progress is a row. Token-gating alone makes and handles it.',
  payload: z.strictObject({
    version: z.literal(1),
    checkId: z.uuid().toLowerCase(),
    /** Each turn is a job of its own, so that communities share the workers fairly. */
    turn: z.int().nonnegative(),
  }),
  jobId: ({ checkId, turn }) => `${checkId}-${turn}`,
  options: {
    attempts: 10,
    backoff: { type: 'exponential', delay: 1_000, jitter: 0.5 },
    removeOnComplete: true,
    removeOnFail: { count: 1_000, age: 7 * DAY_SECONDS },
  },
});

export type BalanceChecksJob = PayloadOf<typeof balanceChecksQueue>;
