import { Database } from '@app/database';
import { rawRoleRule } from '@app/dto';
import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { z } from 'zod';
import type { ListedCommunity, ViewedCommunity } from '../access/community-record.js';
import { InvitationLinkService } from '../invitations/invitation-link.service.js';
import { loadRoles } from '../roles/community-roles.queries.js';
import type { Community } from './community.dto.js';
import { toCommunityResponse } from './to-community-response.js';

const rawRules = z.array(rawRoleRule);

/** Creates responses from communities with their roles and invitation links. */
@Injectable()
export class CommunityResponseFactory {
  constructor(
    private readonly database: Database,
    private readonly invitations: InvitationLinkService,
  ) {}

  async create(community: ViewedCommunity, manager?: EntityManager): Promise<Community> {
    const roles = await loadRoles(manager ?? this.database, [community.id]);
    return toCommunityResponse(community, {
      roles: roles.get(community.id) ?? [],
      inviteLink: this.invitations.createLink(community),
      rules: rawRules.parse(community.rules),
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
