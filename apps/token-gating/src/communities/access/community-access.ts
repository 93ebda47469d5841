import type { Principal } from '@app/auth';
import { Database, rowsOf } from '@app/database';
import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { z } from 'zod';
import { administratorsOnly, communityNotFound, ownerOnly } from './community.errors.js';
import { COMMUNITY_COLUMNS } from './community-record.js';
import {
  type CommunityInView,
  communityInView,
  maySee,
  runs,
  STANDING_COLUMNS,
  viewerOf,
} from './standing.js';

// A statement of its own: what is looked at afterwards is as it stands once the lock is held. Roles may be stored meanwhile:
// whoever changes what they follow from stops that first (stopStoring).
const LOCK = 'SELECT FROM token_gating.communities WHERE id = $1 FOR NO KEY UPDATE';
const VIEW = `SELECT ${COMMUNITY_COLUMNS}, ${STANDING_COLUMNS} FROM token_gating.communities c WHERE c.id = $3`;

const found = z.array(communityInView).max(1);

/**
 * The one place that decides who sees and changes what of a community. Within a transaction, hand in its manager: the
 * community is locked first, and what was decided holds until the end.
 */
@Injectable()
export class CommunityAccess {
  constructor(private readonly database: Database) {}

  /** The community with who the caller is to it, whether they may see it or not. */
  async find(
    principal: Principal,
    communityId: string,
    manager?: EntityManager,
  ): Promise<CommunityInView | undefined> {
    const parameters = [...viewerOf(principal), communityId];
    if (!manager) return found.parse(await this.database.query(VIEW, parameters))[0];
    await rowsOf(manager, LOCK, [communityId]);
    return found.parse(await rowsOf(manager, VIEW, parameters))[0];
  }

  /** @throws AppError 404 for what the caller may not see, the same as for what does not exist */
  async see(principal: Principal, communityId: string, manager?: EntityManager): Promise<CommunityInView> {
    const community = await this.find(principal, communityId, manager);
    if (!community || !maySee(community, community)) throw communityNotFound();
    return community;
  }

  /** For what only those who run it may see: administrators and attached applications. @throws AppError 404 for others */
  async inspect(
    principal: Principal,
    communityId: string,
    manager?: EntityManager,
  ): Promise<CommunityInView> {
    const community = await this.see(principal, communityId, manager);
    if (!runs(community)) throw communityNotFound();
    return community;
  }

  /** For what administrators change. @throws AppError 404 for what the caller may not see, 403 for what they may */
  async administer(
    principal: Principal,
    communityId: string,
    manager?: EntityManager,
  ): Promise<CommunityInView> {
    const community = await this.see(principal, communityId, manager);
    if (!community.isAdministrator) throw administratorsOnly();
    return community;
  }

  /** For what its owner changes. @throws AppError 404 for what the caller may not see, 403 for what they may */
  async own(principal: Principal, communityId: string, manager?: EntityManager): Promise<CommunityInView> {
    const community = await this.see(principal, communityId, manager);
    if (!community.isOwner) throw ownerOnly();
    return community;
  }
}
