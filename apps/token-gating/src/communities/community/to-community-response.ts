import type { RawRoleRule } from '@app/dto';
import type { ListedCommunity } from '../access/community-record.js';
import { canManage } from '../access/membership.js';
import type { Community } from './community.dto.js';
import type { CommunityRole } from '../roles/community-role.dto.js';

interface CommunityResponseParts {
  readonly roles: CommunityRole[];
  readonly inviteLink: string | undefined;
  readonly rules?: RawRoleRule[];
}

/** Includes only the fields that the viewer may see (contract.md section 7). Does not check that they may see the community. */
export function toCommunityResponse(
  record: ListedCommunity,
  { roles, inviteLink, rules }: CommunityResponseParts,
): Community {
  const { id, name, platform, visibility, isSuspended, iconURL, serverImage, network, memberCount } = record;
  return {
    id,
    communityId: id,
    name,
    platform,
    // A deleted community is not found.
    status: isSuspended ? 'suspended' : 'active',
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
