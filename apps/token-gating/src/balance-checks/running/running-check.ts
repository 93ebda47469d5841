import { z } from 'zod';

/** After which member a check goes on: members are looked at in the order in which they joined. */
export const place = z.object({
  /** As PostgreSQL writes it: a Date would lose its microseconds. */
  joinedAt: z.string(),
  userId: z.string(),
});
export type Place = Readonly<z.output<typeof place>>;

/** A check that is not finished, as a turn of it finds it. */
export const runningCheck = z
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
export type RunningCheck = Readonly<z.output<typeof runningCheck>>;
