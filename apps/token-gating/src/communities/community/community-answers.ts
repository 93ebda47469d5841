import { writtenRoleRule } from '@app/dto';
import { Database } from '@app/database';
import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { z } from 'zod';
import type { CommunityInView, ListedCommunity } from '../access/standing.js';
import type { Community } from './community.dto.js';
import { Invitations } from '../invitations/invitations.js';
import { loadRoles } from '../roles/load-roles.js';
import { toCommunityAnswer } from './to-community-answer.js';

const rulesAsWritten = z.array(writtenRoleRule);

/** Communities with all that belongs to the record of one. */
@Injectable()
export class CommunityAnswers {
  constructor(
    private readonly database: Database,
    private readonly invitations: Invitations,
  ) {}

  async one(community: CommunityInView, manager?: EntityManager): Promise<Community> {
    const rolesOf = await this.rolesOf([community], manager);
    return toCommunityAnswer(community, {
      roles: rolesOf(community.id),
      inviteLink: this.invitations.linkOf(community),
      rules: rulesAsWritten.parse(community.rules),
    });
  }

  /** One more statement for all of them, none for none. */
  async many(communities: readonly ListedCommunity[]): Promise<Community[]> {
    if (communities.length === 0) return [];
    const rolesOf = await this.rolesOf(communities);
    return communities.map((community) =>
      toCommunityAnswer(community, {
        roles: rolesOf(community.id),
        inviteLink: this.invitations.linkOf(community),
      }),
    );
  }

  private rolesOf(communities: readonly ListedCommunity[], manager?: EntityManager) {
    const ids = communities.map(({ id }) => id);
    if (manager) return loadRoles(manager, ids);
    return this.database.run((own) => loadRoles(own, ids));
  }
}
