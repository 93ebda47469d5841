import { z } from 'zod';
import { defineQueue, type PayloadOf } from './define-queue.js';

/** One callback to deliver. The delivery is a row, its schedule too: an attempt that fails is delayed, not failed. */
export const deliverCallbackQueue = defineQueue({
  name: 'deliver-callback',
  payload: z.strictObject({
    version: z.literal(1),
    deliveryId: z.string().regex(/^msg_[0-9A-HJKMNP-TV-Z]{26}$/),
  }),
  jobId: ({ deliveryId }) => deliveryId,
  options: {
    attempts: 10,
    backoff: { type: 'exponential', delay: 1_000, jitter: 0.5 },
    removeOnComplete: true,
    removeOnFail: { count: 1_000, age: 7 * 86_400 },
  },
});

export type DeliverCallbackJob = PayloadOf<typeof deliverCallbackQueue>;
