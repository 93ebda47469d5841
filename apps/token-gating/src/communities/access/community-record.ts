import { EXAMPLES, userPlatform, visibility } from '@app/dto';
import { z } from 'zod';

/** PostgreSQL takes no NUL character in a text: one would fail the statement, which other requests may share. */
export const idInPath = (maxLength: number) =>
  z
    .string()
    .min(1)
    .max(maxLength)
    .refine((id) => !id.includes('\0'), 'must not hold a NUL character');

export const communityParams = z.object({
  communityId: idInPath(128).meta({ example: EXAMPLES.communityId }),
});
export type CommunityParams = z.output<typeof communityParams>;

const optionalText = z
  .string()
  .nullable()
  .transform((text) => text ?? undefined);

/** A row of token_gating.communities without its rules, which may be as long as a request body. */
export const communitySummary = z.object({
  id: z.string(),
  name: z.string(),
  platform: userPlatform,
  visibility,
  /** An operator has suspended it. */
  isSuspended: z.boolean(),
  /** No approved client application stands for its rules: the limits of docs/adr/0115 hold. */
  isWithoutApplication: z.boolean(),
  ownerId: z.string(),
  iconURL: optionalText,
  serverImage: optionalText,
  network: optionalText,
  rulesRevision: z.int(),
  invitationRevision: z.int(),
  memberCount: z.int(),
  createdAt: z.date(),
});
export type CommunitySummary = Readonly<z.output<typeof communitySummary>>;

/** What a viewer is to a community. */
export const membership = z.object({
  isOwner: z.boolean(),
  /** Whether they administer the community; the owner does, too. */
  isAdministrator: z.boolean(),
  isMember: z.boolean(),
  /** True for an attached client application that acts for itself, not for a user. */
  isAttachedClient: z.boolean(),
});
export type Membership = Readonly<z.output<typeof membership>>;

/** A community in a list, with what the viewer is to it. */
export const listedCommunity = communitySummary.extend(membership.shape);
export type ListedCommunity = Readonly<z.output<typeof listedCommunity>>;

/** A community with what the viewer is to it. The rules are as administrators wrote them: see `roleRules`. */
export const viewedCommunity = listedCommunity.extend({ rules: z.array(z.unknown()) });
export type ViewedCommunity = Readonly<z.output<typeof viewedCommunity>>;
