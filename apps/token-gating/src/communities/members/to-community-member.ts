import type { UserPlatform } from '@app/dto';
import type { MemberRow } from './community-members.queries.js';
import type { CommunityMember } from './member.dto.js';

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
