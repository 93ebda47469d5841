import { z } from 'zod';

/** After which member a check goes on: members are looked at in the order in which they joined. */
export const memberCursor = z.object({
  /** As PostgreSQL writes it: a Date would lose its microseconds. */
  joinedAt: z.string(),
  userId: z.string(),
});
export type MemberCursor = Readonly<z.output<typeof memberCursor>>;

/** A check that is not finished, as a turn of it finds it. */
export const runningBalanceCheck = z
  .object({
    id: z.uuid(),
    communityId: z.string(),
    /** Those that it looks at members with. */
    rulesRevision: z.int(),
    /** Those of the community now. */
    currentRevision: z.int(),
    /** As administrators wrote them. */
    rules: z.unknown(),
    startedAt: z.string(),
    afterJoinedAt: z.string().nullable(),
    afterUserId: z.string().nullable(),
    turn: z.int(),
    retries: z.int(),
  })
  .transform(({ afterJoinedAt, afterUserId, ...check }) => ({
    ...check,
    after:
      afterJoinedAt === null || afterUserId === null
        ? undefined
        : { joinedAt: afterJoinedAt, userId: afterUserId },
  }));
export type RunningBalanceCheck = Readonly<z.output<typeof runningBalanceCheck>>;
