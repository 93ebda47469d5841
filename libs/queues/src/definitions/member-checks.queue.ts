import { DAY_SECONDS, MINUTE_MS } from '@app/common';
import { z } from 'zod';
import { defineQueue, type PayloadOf } from './define-queue.js';

/** BullMQ's limit. */
const MAX_PRIORITY = 2 ** 21 - 1;

/**
 * Earliest deadline first: the priority is the minute by which a job is due, so that only jobs that are enqueued within
 * its `minutes` can overtake it. The numbers wrap around every four years; jobs that wait at that moment run last.
 */
const toDeadlinePriority = (minutes: number, now: number): number =>
  1 + ((Math.floor(now / MINUTE_MS) + minutes) % MAX_PRIORITY);

export const MAX_MEMBERS_PER_CHECK = 500;

/** Evaluates the roles of members of one community after a change, such as a join or a linked wallet. */
export const memberChecksQueue = defineQueue({
  name: 'member-checks',
  description: 'Members of one community whose roles are evaluated. Token-gating alone makes and handles it.',
  payload: z.strictObject({
    version: z.literal(1),
    id: z.uuid(),
    communityId: z.string().min(1).max(128),
    userIds: z.array(z.string().min(1).max(128)).min(1).max(MAX_MEMBERS_PER_CHECK),
  }),
  jobId: ({ id }) => id,
  /**
   * All tenants share the queue. Small jobs run first, so that a single join does not wait for a bulk import. Each doubling
   * of the size defers a job by a minute, nine for the largest, and a stream of single joins cannot starve it longer.
   */
  priority: ({ userIds }, now) => toDeadlinePriority(Math.ceil(Math.log2(userIds.length)), now),
  options: {
    attempts: 10,
    backoff: { type: 'exponential', delay: 1_000, jitter: 0.5 },
    removeOnComplete: true,
    removeOnFail: { count: 1_000, age: 7 * DAY_SECONDS },
  },
});

export type MemberChecksJob = PayloadOf<typeof memberChecksQueue>;
