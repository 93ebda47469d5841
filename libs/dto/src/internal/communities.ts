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

/** PostgreSQL takes no NUL, and no id has a control character. */
const printableId = z
  .string()
  .min(1)
  .max(128)
  .regex(/^[^\p{Cc}\p{Cs}]*$/u, 'must not hold control characters');

/** Why an operator suspends a community. */
export const suspensionReason = z
  .string()
  .trim()
  .min(1)
  .max(500)
  .regex(/^[^\p{Cc}\p{Cs}]*$/u, 'must not hold control characters');

/** POST /internal/community-suspensions/find and /remove of token-gating. Identity has authorized the operator. */
export const communitySuspensionRequest = z.strictObject({ communityId: printableId });
export type CommunitySuspensionRequest = z.output<typeof communitySuspensionRequest>;

/** POST /internal/community-suspensions/set of token-gating. */
export const suspendCommunityRequest = communitySuspensionRequest.extend({ reason: suspensionReason });
export type SuspendCommunityRequest = z.output<typeof suspendCommunityRequest>;

/** A community as operators see it. */
export const supervisedCommunity = z.object({
  communityId: z.string(),
  name: z.string(),
  ownerId: z.string(),
  visibility: z.string(),
  memberCount: z.int().nonnegative(),
  /** Absent while the community is active. */
  suspension: z.object({ reason: z.string(), since: z.iso.datetime() }).optional(),
});
export type SupervisedCommunity = Readonly<z.output<typeof supervisedCommunity>>;

/** The community after the change, which is absent where it does not exist. */
export const communitySuspensionResponse = z.object({ community: supervisedCommunity.optional() });
export type CommunitySuspensionResponse = z.output<typeof communitySuspensionResponse>;

/** POST /internal/community-suspensions/list of token-gating: the newest 100. */
export const suspendedCommunitiesResponse = z.object({ communities: z.array(supervisedCommunity) });
export type SuspendedCommunitiesResponse = z.output<typeof suspendedCommunitiesResponse>;

/** POST /internal/administrated-communities of token-gating: the communities that a user administers, oldest right first. */
export const administratedCommunitiesRequest = z.strictObject({ userId: z.string().min(1).max(128) });
export type AdministratedCommunitiesRequest = z.output<typeof administratedCommunitiesRequest>;

export const administratedCommunitiesResponse = z.object({
  communities: z.array(
    z.object({
      id: z.string(),
      name: z.string(),
      visibility: z.string(),
      isSuspended: z.boolean().default(false),
      /** Whether the user owns it. Absent from a token-gating of the release before. */
      isOwner: z.boolean().optional(),
      memberCount: z.int().nonnegative(),
    }),
  ),
  /** Whether there are more than the response lists. */
  hasMore: z.boolean(),
});
export type AdministratedCommunitiesResponse = z.output<typeof administratedCommunitiesResponse>;

/** POST /internal/joined-communities of token-gating: the communities that a user is a member of, joined first first. */
export const joinedCommunitiesRequest = z.strictObject({ userId: z.string().min(1).max(128) });
export type JoinedCommunitiesRequest = z.output<typeof joinedCommunitiesRequest>;

export const joinedCommunitiesResponse = z.object({
  communities: z.array(
    z.object({
      id: z.string(),
      /** Absent where members may not see the community: it is hidden, or suspended. They can leave it. */
      name: z.string().optional(),
      /** Names of the roles that the user holds, as they are stored; empty where members may not see the community. */
      roles: z.array(z.string()),
    }),
  ),
  /** Whether there are more than the response lists. */
  hasMore: z.boolean(),
});
export type JoinedCommunitiesResponse = z.output<typeof joinedCommunitiesResponse>;
