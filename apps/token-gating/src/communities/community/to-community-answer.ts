import type { WrittenRoleRule } from '@app/dto';
import { type ListedCommunity, runs } from '../access/standing.js';
import type { Community } from './community.dto.js';
import type { CommunityRole } from '../roles/community-role.dto.js';

interface Shown {
  readonly roles: CommunityRole[];
  readonly inviteLink: string | undefined;
  /** As they were checked when they were written. */
  readonly rules?: WrittenRoleRule[];
}

/** A community as its viewer may see it (contract.md section 7). That they may see it at all was decided before. */
export function toCommunityAnswer(record: ListedCommunity, { roles, inviteLink, rules }: Shown): Community {
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
    ...(runs(record) || record.isMember ? { tpcs: rules } : {}),
    ...(runs(record) ? { ownerId: record.ownerId, inviteLink } : {}),
  };
}
