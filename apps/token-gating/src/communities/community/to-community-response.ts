import type { RawRoleRule } from '@app/dto';
import { type ListedCommunity, canManage } from '../access/membership.js';
import type { Community } from './community.dto.js';
import type { CommunityRole } from '../roles/community-role.dto.js';

interface CommunityResponseParts {
  readonly roles: CommunityRole[];
  readonly inviteLink: string | undefined;
  /** As they were checked when they were written. */
  readonly rules?: RawRoleRule[];
}

/** A community as its viewer may see it (contract.md section 7). That they may see it at all was decided before. */
export function toCommunityResponse(
  record: ListedCommunity,
  { roles, inviteLink, rules }: CommunityResponseParts,
): Community {
  const { id, name, platform, visibility, iconURL, serverImage, network, memberCount } = record;
  return {
    id,
    communityId: id,
    name,
    platform,
    // A community that was deleted is gone; there is no other state yet.
    status: 'active',
    visibility,
    createdTime: record.createdAt.toISOString(),
    iconURL,
    serverImage,
    network,
    stats: { memberCount },
    roles,
    ...(canManage(record) || record.isMember ? { tpcs: rules } : {}),
    ...(canManage(record) ? { ownerId: record.ownerId, inviteLink } : {}),
  };
}
