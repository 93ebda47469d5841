import { z } from 'zod';

/** PostgreSQL takes no NUL, and no id has a control character. */
const id = z
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
export const communitySuspensionRequest = z.strictObject({ communityId: id });
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
