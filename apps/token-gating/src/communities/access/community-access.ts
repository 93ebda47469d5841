import type { Principal } from '@app/auth';
import { Database } from '@app/database';
import { Injectable } from '@nestjs/common';
import { z } from 'zod';
import { administratorsOnly, communityNotFound } from './community.errors.js';
import { COMMUNITY_COLUMNS } from './community-record.js';
import {
  type CommunityInView,
  communityInView,
  maySee,
  runs,
  STANDING_COLUMNS,
  viewerOf,
} from './standing.js';

const VIEW = `SELECT ${COMMUNITY_COLUMNS}, ${STANDING_COLUMNS} FROM token_gating.communities c WHERE c.id = $3`;

const found = z.array(communityInView).max(1);

/** The one place that decides who sees and changes what of a community. */
@Injectable()
export class CommunityAccess {
  constructor(private readonly database: Database) {}

  /** The community with who the caller is to it, whether they may see it or not. */
  async find(principal: Principal, communityId: string): Promise<CommunityInView | undefined> {
    const rows = await this.database.query(VIEW, [...viewerOf(principal), communityId]);
    return found.parse(rows)[0];
  }

  /** @throws AppError 404 for what the caller may not see, the same as for what does not exist */
  async see(principal: Principal, communityId: string): Promise<CommunityInView> {
    const community = await this.find(principal, communityId);
    if (!community || !maySee(community, community)) throw communityNotFound();
    return community;
  }

  /** For what only those who run it may see: administrators and attached applications. @throws AppError 404 for others */
  async inspect(principal: Principal, communityId: string): Promise<CommunityInView> {
    const community = await this.see(principal, communityId);
    if (!runs(community)) throw communityNotFound();
    return community;
  }

  /** For what administrators change. @throws AppError 404 for what the caller may not see, 403 for what they may */
  async administer(principal: Principal, communityId: string): Promise<CommunityInView> {
    const community = await this.see(principal, communityId);
    if (!community.isAdministrator) throw administratorsOnly();
    return community;
  }
}
