import { DAY_SECONDS } from '@app/common';
import { MAX_USERS_PER_LINK_LOOKUP } from '@app/dto';
import { z } from 'zod';
import { defineQueue, type PayloadOf } from './define-queue.js';

const payload = z.strictObject({
  version: z.literal(1),
  id: z.uuid(),
  communityId: z.string().min(1).max(128),
  memberships: z
    .array(
      z.strictObject({
        userId: z.string().min(1).max(128),
        joinedAt: z.iso.datetime(),
        /** Absent where the user joined. */
        leftAt: z.iso.datetime().optional(),
      }),
    )
    .min(1)
    .max(MAX_USERS_PER_LINK_LOOKUP),
});

/**
 * Publishes the wallets that users have when they join or leave one community, as events. Token-gating asks identity for them
 * after the transaction of the change.
 */
export const memberWalletsQueue = defineQueue({
  name: 'member-wallets',
  description:
    'Whose wallets are published as events after a join or a leave. Token-gating alone makes and handles it.',
  payload,
  jobId: ({ id }) => id,
  findOldestTime: (data) => {
    const memberships = payload.safeParse(data).data?.memberships;
    return (
      memberships && Math.min(...memberships.map(({ joinedAt, leftAt }) => Date.parse(leftAt ?? joinedAt)))
    );
  },
  options: {
    attempts: 12,
    backoff: { type: 'exponential', delay: 1_000, jitter: 0.5 },
    removeOnComplete: true,
    removeOnFail: { count: 1_000, age: 7 * DAY_SECONDS },
  },
});

export type MemberWalletsJob = PayloadOf<typeof memberWalletsQueue>;
