import { Database } from '@app/database';
import { hideListedAccounts, rawRoleRule, type RawRoleRule } from '@app/dto';
import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { z } from 'zod';
import type { ListedCommunity, ViewedCommunity } from '../access/community-record.js';
import { canManage } from '../access/membership.js';
import { InvitationLinkService } from '../invitations/invitation-link.service.js';
import type { CommunityRole } from '../roles/community-role.dto.js';
import { loadRoles } from '../roles/community-roles.queries.js';
import { listPolledContracts, type PolledContract } from '../rules/community-contracts.queries.js';
import type { Community } from './community.dto.js';

interface CommunityResponseParts {
  readonly roles: CommunityRole[];
  readonly inviteLink: string | undefined;
  readonly rules?: RawRoleRule[];
  readonly polledContracts?: readonly PolledContract[];
}

/** Includes only the fields that the viewer may see (contract.md section 7). Does not check that they may see the community. */
function toCommunityResponse(
  record: ListedCommunity,
  { roles, inviteLink, rules, polledContracts = [] }: CommunityResponseParts,
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
    ...(record.isMember && rules ? { tpcs: hideListedAccounts(rules) } : {}),
    ...(canManage(record) ? { tpcs: rules } : {}),
    ...(polledContracts.length > 0 ? { polledContracts: [...polledContracts] } : {}),
    ...(canManage(record) ? { ownerId: record.ownerId, inviteLink } : {}),
  };
}

const rawRules = z.array(rawRoleRule);

/** Creates responses from communities with their roles and invitation links. */
@Injectable()
export class CommunityResponseFactory {
  constructor(
    private readonly database: Database,
    private readonly invitations: InvitationLinkService,
  ) {}

  async create(community: ViewedCommunity, manager?: EntityManager): Promise<Community> {
    const db = manager ?? this.database;
    const roles = await loadRoles(db, [community.id]);
    const rules = rawRules.parse(community.rules);
    const isNotified = canManage(community) && rules.length > 0;
    return toCommunityResponse(community, {
      roles: roles.get(community.id) ?? [],
      inviteLink: this.invitations.createLink(community),
      rules,
      polledContracts: isNotified ? await listPolledContracts(db, community.id) : [],
    });
  }

  /** Loads the roles of all communities in one statement. The responses contain no rules. */
  async createMany(communities: readonly ListedCommunity[]): Promise<Community[]> {
    if (communities.length === 0) return [];
    const roles = await loadRoles(
      this.database,
      communities.map(({ id }) => id),
    );
    return communities.map((community) =>
      toCommunityResponse(community, {
        roles: roles.get(community.id) ?? [],
        inviteLink: this.invitations.createLink(community),
      }),
    );
  }
}
