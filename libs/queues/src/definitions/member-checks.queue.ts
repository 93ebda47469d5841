import { z } from 'zod';
import { defineQueue, type PayloadOf } from './define-queue.js';

const MINUTE_MS = 60_000;
/** BullMQ's own bound. */
const MAX_PRIORITY = 2 ** 21 - 1;

/**
 * The priority of a job that is to be taken within so many minutes, as far as others are not due earlier. However many of
 * those come, a job is passed only by what is made within its minutes.
 *
 * The numbers begin anew every four years. What waits in that moment comes last once; it is taken when nothing else is
 * there. An instance whose clock is wrong puts its jobs as much too far ahead or behind, and only while others wait.
 */
export const toDeadlinePriority = (minutes: number, now: number): number =>
  1 + ((Math.floor(now / MINUTE_MS) + minutes) % MAX_PRIORITY);

export const MAX_MEMBERS_PER_CHECK = 500;

/** Members of one community whose roles are to be evaluated now, because something about them changed. */
export const memberChecksQueue = defineQueue({
  name: 'member-checks',
  payload: z.strictObject({
    version: z.literal(1),
    id: z.uuid(),
    communityId: z.string().min(1).max(128),
    userIds: z.array(z.string().min(1).max(128)).min(1).max(MAX_MEMBERS_PER_CHECK),
  }),
  jobId: ({ id }) => id,
  /**
   * All tenants share the queue. Few members go first: who joins alone does not wait for the thousands that somebody else
   * put in at once. Each doubling is a minute, nine of them for the largest job, and that is how long it lets others pass:
   * whatever comes later stands behind it, so that no stream of single joins, or of one user's wallets, starves it.
   */
  priority: ({ userIds }, now) => toDeadlinePriority(Math.ceil(Math.log2(userIds.length)), now),
  options: {
    attempts: 10,
    backoff: { type: 'exponential', delay: 1_000, jitter: 0.5 },
    removeOnComplete: true,
    removeOnFail: { count: 1_000, age: 7 * 86_400 },
  },
});

export type MemberChecksJob = PayloadOf<typeof memberChecksQueue>;
