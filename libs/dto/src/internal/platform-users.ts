import { z } from 'zod';
import { displayText } from '../display-text.js';

/** The platform that identifies a user (contract.md section 7). */
export const userPlatform = z.enum(['ethereum', 'solana', 'chat', 'microblog', 'codehost']);
export type UserPlatform = z.infer<typeof userPlatform>;

/** Platforms whose users client applications assert; users of the others sign in with a wallet. */
export const CHAT_PLATFORMS = ['chat', 'microblog', 'codehost'] as const;

const displayName = displayText(256);

/** The user ids of this service, which no id of another platform may imitate. */
const USER_ID = /^user_[0-9A-Za-z]{22}$/;

/** Text that is one path segment without escaping, and not reserved in paths. */
const pathSegment = displayText(256)
  .regex(/^[^/\\]*$/, 'must not hold slashes')
  .refine((id) => id.trim() === id, 'must not begin or end with white space')
  .refine((id) => !['.', '..', 'me'].includes(id), 'has a meaning of its own in paths');

/** A user of another platform, asserted by an attached client application (contract.md section 7). */
export const platformUser = z
  .strictObject({
    platform: userPlatform.extract(CHAT_PLATFORMS),
    platformUserId: pathSegment.refine(
      (id) => !USER_ID.test(id),
      'has the form of a user id of this service',
    ),
    userName: displayName.optional(),
    username: displayName.optional(),
    name: displayName.optional(),
    picture: z
      .url({ protocol: /^https$/ })
      .max(2_048)
      .optional(),
  })
  .meta({ id: 'PlatformUser' });
export type PlatformUser = z.infer<typeof platformUser>;

export const MAX_PLATFORM_USERS = 100;

/** POST /internal/platform-users of identity: creates these users, and stores the client application's profiles of them. */
export const platformUsersRequest = z.object({
  /** The release before this one sends none: the users are created without profiles. */
  clientId: z.string().min(1).max(128).optional(),
  users: z.array(platformUser.strip()).min(1).max(MAX_PLATFORM_USERS),
});
export type PlatformUsersRequest = z.infer<typeof platformUsersRequest>;

/** Ids in the order of the users. Fields that the application omits keep their values. */
export const platformUsersResponse = z.object({ userIds: z.array(z.string()) });
export type PlatformUsersResponse = z.infer<typeof platformUsersResponse>;

/**
 * POST /internal/platform-users/lookup of token-gating: the member of a community whose wallets a client application asks
 * for. `member` is a user id, or an id on the user's platform.
 */
export const platformMemberRequest = z.object({
  communityId: z.string().min(1).max(128),
  clientId: z.string().min(1).max(128),
  member: z.string().min(1).max(256),
});
export type PlatformMemberRequest = z.infer<typeof platformMemberRequest>;

export const platformMemberResponse = z.discriminatedUnion('outcome', [
  z.object({
    outcome: z.literal('found'),
    communityName: z.string(),
    /** An operator has suspended the community: its wallets are read, and not changed. */
    isSuspended: z.boolean().default(false),
    userId: z.string(),
    platform: userPlatform.extract(CHAT_PLATFORMS),
    platformUserId: z.string(),
  }),
  z.object({
    outcome: z.enum(['community_not_found', 'client_not_attached', 'member_not_found', 'member_ambiguous']),
  }),
]);
export type PlatformMemberResponse = z.infer<typeof platformMemberResponse>;
export type PlatformMember = Extract<PlatformMemberResponse, { outcome: 'found' }>;

/** POST /internal/users of identity: looks up users by id. */
export const usersRequest = z.object({
  userIds: z.array(z.string().min(1).max(128)).min(1).max(1_000),
});
export type UsersRequest = z.infer<typeof usersRequest>;

/** Omits unknown users. */
export const usersResponse = z.object({
  users: z.array(z.object({ id: z.string(), platform: userPlatform, platformUserId: z.string() })),
});
export type UsersResponse = z.infer<typeof usersResponse>;

/** Users in one request: as many as a page of a list has. */
export const MAX_NAMED_USERS = 100;

/** POST /internal/users/names of identity: what users are called where others see them. */
export const userNamesRequest = z.object({
  userIds: z.array(z.string().min(1).max(128)).max(MAX_NAMED_USERS),
  /** The application that sees the names: those that it reported itself. Without it, those that users gave themselves. */
  clientId: z.string().min(1).max(128).optional(),
});
export type UserNamesRequest = z.infer<typeof userNamesRequest>;

/** Omits users without a name. */
export const userNamesResponse = z.object({
  users: z.array(z.object({ id: z.string(), name: z.string() })),
});
export type UserNamesResponse = z.infer<typeof userNamesResponse>;

/** Users in one look of a search by names. */
export const MAX_SEARCHED_USERS = 1_000;

/** POST /internal/users/matching of identity: which of these users have a name or a username that holds a text, in any case. */
export const matchingUsersRequest = z.object({
  userIds: z.array(z.string().min(1).max(128)).min(1).max(MAX_SEARCHED_USERS),
  text: z.string().min(1).max(256),
});
export type MatchingUsersRequest = z.infer<typeof matchingUsersRequest>;

export const matchingUsersResponse = z.object({ userIds: z.array(z.string()) });
export type MatchingUsersResponse = z.infer<typeof matchingUsersResponse>;
