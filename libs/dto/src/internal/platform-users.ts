import { z } from 'zod';
import { userPlatform } from '../user-platform.js';
import { displayText } from '../display-text.js';

/** Platforms whose users others vouch for; users of the rest prove a wallet. */
export const CHAT_PLATFORMS = ['chat', 'microblog', 'codehost'] as const;

const displayName = displayText(256);

/** As userIdOf of @app/auth makes them: nobody on another platform passes for a user of ours. */
const USER_ID = /^user_[0-9A-Za-z]{22}$/;

/** What a path can name as it is, in one segment: URLs and the gateway know other meanings of the rest. */
const pathSegment = displayText(256)
  .regex(/^[^/\\]*$/, 'must not hold slashes')
  .refine((id) => id.trim() === id, 'must not begin or end with white space')
  .refine((id) => !['.', '..', 'me'].includes(id), 'has a meaning of its own in paths');

/** A user of another platform, as an attached client application names them (contract.md section 7). */
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

/** POST /internal/platform-users of identity: makes these users known. */
export const platformUsersRequest = z.strictObject({
  users: z.array(platformUser).min(1).max(MAX_PLATFORM_USERS),
});
export type PlatformUsersRequest = z.infer<typeof platformUsersRequest>;

/** One id per user, in order. What is said of a user that is known already fills in what was not known of them. */
export const platformUsersResponse = z.object({ userIds: z.array(z.string()) });
export type PlatformUsersResponse = z.infer<typeof platformUsersResponse>;

/** POST /internal/users of identity: who these users are. */
export const usersRequest = z.strictObject({
  userIds: z.array(z.string().min(1).max(128)).min(1).max(1_000),
});
export type UsersRequest = z.infer<typeof usersRequest>;

/** Users that nobody knows are left out. */
export const usersResponse = z.object({
  users: z.array(z.object({ id: z.string(), platform: userPlatform, platformUserId: z.string() })),
});
export type UsersResponse = z.infer<typeof usersResponse>;
