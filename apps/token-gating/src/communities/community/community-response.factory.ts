import { rawRoleRule } from '@app/dto';
import { Database } from '@app/database';
import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { z } from 'zod';
import type { ViewedCommunity, ListedCommunity } from '../access/membership.js';
import type { Community } from './community.dto.js';
import { InvitationLinkService } from '../invitations/invitation-link.service.js';
import { loadRoles } from '../roles/load-roles.js';
import { toCommunityResponse } from './to-community-response.js';

const rulesAsWritten = z.array(rawRoleRule);

/** Communities with all that belongs to the record of one. */
@Injectable()
export class CommunityResponseFactory {
  constructor(
    private readonly database: Database,
    private readonly invitations: InvitationLinkService,
  ) {}

  async create(community: ViewedCommunity, manager?: EntityManager): Promise<Community> {
    const rolesOf = await this.rolesOf([community], manager);
    return toCommunityResponse(community, {
      roles: rolesOf(community.id),
      inviteLink: this.invitations.createLink(community),
      rules: rulesAsWritten.parse(community.rules),
    });
  }

  /** One more statement for all of them, none for none. */
  async createMany(communities: readonly ListedCommunity[]): Promise<Community[]> {
    if (communities.length === 0) return [];
    const rolesOf = await this.rolesOf(communities);
    return communities.map((community) =>
      toCommunityResponse(community, {
        roles: rolesOf(community.id),
        inviteLink: this.invitations.createLink(community),
      }),
    );
  }

  private rolesOf(communities: readonly ListedCommunity[], manager?: EntityManager) {
    const ids = communities.map(({ id }) => id);
    if (manager) return loadRoles(manager, ids);
    return this.database.withConnection((own) => loadRoles(own, ids));
  }
}
