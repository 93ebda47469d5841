import { z } from 'zod';
import { defineQueue } from '@app/queues';

/** The queue of these tests, whose jobs say what their handler does. */
export const testJobsQueue = defineQueue({
  name: 'test-jobs',
  payload: z.strictObject({
    id: z.string(),
    /** What happens between the records of the start and the effect; '…unseen' jobs record neither. */
    act: z
      .enum([
        'nothing',
        'sleep',
        'sleep-once',
        'block',
        'throw',
        'give-up',
        'later-once',
        'unseen',
        'give-up-unseen',
      ])
      .default('nothing'),
    ms: z.int().min(0).default(0),
    rank: z.int().min(0).default(0),
  }),
  jobId: ({ id }) => id,
  priority: ({ rank }) => rank,
  options: {
    attempts: 3,
    backoff: { type: 'fixed', delay: 100 },
    removeOnComplete: true,
    removeOnFail: { count: 100 },
  },
});
