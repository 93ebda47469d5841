import { z } from 'zod';
import { defineQueue, type PayloadOf } from './define-queue.js';
import { dueWithin } from './due-within.js';

export const MOST_CHECKED_MEMBERS = 500;

/** Members of one community whose roles are to be evaluated now, because something about them changed. */
export const memberChecksQueue = defineQueue({
  name: 'member-checks',
  payload: z.strictObject({
    version: z.literal(1),
    id: z.uuid(),
    communityId: z.string().min(1).max(128),
    userIds: z.array(z.string().min(1).max(128)).min(1).max(MOST_CHECKED_MEMBERS),
  }),
  jobId: ({ id }) => id,
  /**
   * All tenants share the queue. Few members go first: who joins alone does not wait for the thousands that somebody else
   * put in at once. Each doubling is a minute, nine of them for the largest job, and that is how long it lets others pass:
   * whatever comes later stands behind it, so that no stream of single joins, or of one user's wallets, starves it.
   */
  priority: ({ userIds }, now) => dueWithin(Math.ceil(Math.log2(userIds.length)), now),
  options: {
    attempts: 10,
    backoff: { type: 'exponential', delay: 1_000, jitter: 0.5 },
    removeOnComplete: true,
    removeOnFail: { count: 1_000, age: 7 * 86_400 },
  },
});

export type MemberChecksJob = PayloadOf<typeof memberChecksQueue>;
