import {
  createPageSchema,
  EXAMPLES,
  MAX_PLATFORM_USERS,
  platformUser,
  userPlatform,
  type UserPlatform,
} from '@app/dto';
import { z } from 'zod';
import { communityParams, idInPath } from '../access/community-record.js';
import type { MemberRow } from './community-members.queries.js';

export const toCommunityMember = ({ joinedAt, sortTime: _, ...member }: MemberRow): CommunityMember => ({
  ...member,
  joinedTime: joinedAt.toISOString(),
});

/** Platforms on which the user's id is a wallet address, which needs the scope `user:wallet:read`. */
const WALLET_PLATFORMS: readonly UserPlatform[] = ['ethereum', 'solana'];

export function toCommunityMemberWithoutAddress(row: MemberRow): CommunityMember {
  const member = toCommunityMember(row);
  return WALLET_PLATFORMS.includes(row.platform) ? { ...member, platformUserId: undefined } : member;
}

export const communityMember = z
  .object({
    userId: z.string(),
    platform: userPlatform,
    platformUserId: z
      .string()
      .optional()
      .meta({ description: 'Absent for client applications where it is a wallet address' }),
    name: z.string().optional().meta({
      description:
        'What administrators see: the name that the member chose, else the username, else the ENS name. Client applications see the name that they reported themselves. Absent where there is none',
    }),
    joinedTime: z.iso.datetime(),
    roles: z.array(z.string()).meta({ description: 'Ids of the roles that the member holds' }),
  })
  .meta({ id: 'CommunityMember' });
export type CommunityMember = z.output<typeof communityMember>;

export const communityMemberPage = createPageSchema(communityMember, 'CommunityMemberPage');

export const joinRequest = z
  .strictObject({
    invitation: z
      .string()
      .max(128)
      .optional()
      .meta({ description: 'The code at the end of an invitation link; not needed for public communities' }),
  })
  .meta({ id: 'CommunityJoining', example: {} });
export type JoinRequest = z.output<typeof joinRequest>;

/** A user id, or an id on the user's platform. */
export const memberId = idInPath(256);

export const memberParams = communityParams.extend({
  userId: memberId.meta({
    description: "A user id, or an id on the user's platform",
    example: EXAMPLES.outsiderId,
  }),
});
export type MemberParams = z.output<typeof memberParams>;

export const platformUserUpsert = z
  .strictObject({ users: z.array(platformUser).min(1).max(MAX_PLATFORM_USERS) })
  .meta({
    id: 'PlatformUserUpsert',
    example: { users: [{ platform: 'chat', platformUserId: '42', name: 'Ada' }] },
  });
export type PlatformUserUpsert = z.output<typeof platformUserUpsert>;

export const upsertedUsers = z
  .object({ userIds: z.array(z.string()).meta({ description: 'One per user, in order' }) })
  .meta({ id: 'UpsertedPlatformUsers' });
export type UpsertedUsers = z.output<typeof upsertedUsers>;
