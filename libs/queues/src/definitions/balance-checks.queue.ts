import { z } from 'zod';
import { defineQueue, type PayloadOf } from './define-queue.js';

/** A turn of a balance check whose progress is a row. Several jobs for one row do no harm: the row's place is the fence. */
export const balanceChecksQueue = defineQueue({
  name: 'balance-checks',
  payload: z.strictObject({
    version: z.literal(1),
    checkId: z.uuid().toLowerCase(),
    /** Each turn is a job of its own: communities take turns. */
    turn: z.int().nonnegative(),
  }),
  jobId: ({ checkId, turn }) => `${checkId}-${turn}`,
  options: {
    attempts: 10,
    backoff: { type: 'exponential', delay: 1_000, jitter: 0.5 },
    removeOnComplete: true,
    removeOnFail: { count: 1_000, age: 7 * 86_400 },
  },
});

export type BalanceChecksJob = PayloadOf<typeof balanceChecksQueue>;
