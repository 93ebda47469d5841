import { DAY_SECONDS } from '@app/common';
import { tokenGatingError, tokenGatingRole } from '@app/dto';
import { z } from 'zod';
import { defineQueue } from './define-queue.js';
import { requestId } from './request-id.js';

/** Results of checks with `reply: true`, in the form of the polling response. The requesting service consumes them. */
export const checkRolesResultsQueue = defineQueue({
  name: 'check-roles-results',
  payload: z.strictObject({
    requestId,
    roles: z.array(tokenGatingRole),
    errors: z.array(tokenGatingError).optional(),
  }),
  jobId: ({ requestId }) => requestId,
  options: {
    attempts: 5,
    backoff: { type: 'exponential', delay: 1_000, jitter: 0.5 },
    removeOnComplete: true,
    removeOnFail: { count: 1_000, age: 7 * DAY_SECONDS },
  },
});
