import { type UserPlatform, userPlatform } from '@app/dto';
import { z } from 'zod';
import type { CommunityMember } from './member.dto.js';

/** Columns of token_gating.community_members, of the alias `m`, with the roles that are stored. */
export const MEMBER_COLUMNS = `m.user_id AS "userId", m.platform, m.platform_user_id AS "platformUserId",
  m.joined_at AS "joinedAt", m.joined_at::text AS since,
  ARRAY(SELECT a.role_id FROM token_gating.role_assignments a
    WHERE a.community_id = m.community_id AND a.user_id = m.user_id ORDER BY a.role_id) AS roles`;

export const memberRow = z.object({
  userId: z.string(),
  platform: userPlatform,
  platformUserId: z.string(),
  joinedAt: z.date(),
  /** The same with its microseconds, to page by. */
  since: z.string(),
  roles: z.array(z.string()),
});
export type MemberRow = z.output<typeof memberRow>;

export const toCommunityMember = ({ joinedAt, since: _, ...member }: MemberRow): CommunityMember => ({
  ...member,
  joinedTime: joinedAt.toISOString(),
});

/** On these platforms a user's id is a wallet: who may know those is for the user to say (`user:wallet:read`). */
const WALLET_PLATFORMS: readonly UserPlatform[] = ['ethereum', 'solana'];

export function toCommunityMemberWithoutAddress(row: MemberRow): CommunityMember {
  const member = toCommunityMember(row);
  return WALLET_PLATFORMS.includes(row.platform) ? { ...member, platformUserId: undefined } : member;
}
