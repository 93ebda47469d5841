import { z } from 'zod';

const id = z.string().min(1).max(128);

/** Bounds the response: a member may have all roles and wallets that are allowed. */
export const MAX_MEMBERS_PER_STATE = 50;

/**
 * POST /internal/community-state of token-gating: what members of a community have now. Those of some users, or a page of all
 * members after a user.
 */
export const communityStateRequest = z.object({
  communityId: id,
  userIds: z.array(id).min(1).max(MAX_MEMBERS_PER_STATE).optional(),
  /** Absent for the first page. */
  afterUserId: id.optional(),
});
export type CommunityStateRequest = z.infer<typeof communityStateRequest>;

const time = z.iso.datetime();

const memberState = z.object({
  userId: id,
  since: time,
  roles: z.array(z.object({ id: z.string(), since: time })),
  /** `id` is the CAIP-10 id. */
  wallets: z.array(z.object({ id: z.string(), since: time })),
});
export type MemberState = z.infer<typeof memberState>;

export const communityStateResponse = z.discriminatedUnion('outcome', [
  z.object({ outcome: z.literal('community_not_found') }),
  z.object({
    outcome: z.literal('found'),
    /** The time of which this is the state. */
    at: time,
    /** Omits users who are no members. */
    members: z.array(memberState),
    hasMore: z.boolean(),
  }),
]);
export type CommunityStateResponse = z.infer<typeof communityStateResponse>;
