import type { Principal } from '@app/auth';
import { Database, queryRows } from '@app/database';
import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { z } from 'zod';
import { administratorsOnly, communityNotFound, ownerOnly } from './community.errors.js';
import { COMMUNITY_COLUMNS } from './community-record.js';
import {
  type ViewedCommunity,
  viewedCommunity,
  canView,
  canManage,
  MEMBERSHIP_COLUMNS,
  toViewerParameters,
} from './membership.js';

// A statement of its own: what is looked at afterwards is as it stands once the lock is held. Roles may be stored meanwhile:
// whoever changes what they follow from stops that first (stopStoring).
const LOCK = 'SELECT FROM token_gating.communities WHERE id = $1 FOR NO KEY UPDATE';
const VIEW = `SELECT ${COMMUNITY_COLUMNS}, ${MEMBERSHIP_COLUMNS} FROM token_gating.communities c WHERE c.id = $3`;

const found = z.array(viewedCommunity).max(1);

/**
 * The one place that decides who sees and changes what of a community. Within a transaction, hand in its manager: the
 * community is locked first, and what was decided holds until the end.
 */
@Injectable()
export class CommunityAccessService {
  constructor(private readonly database: Database) {}

  /** The community with who the caller is to it, whether they may see it or not. */
  async find(
    principal: Principal,
    communityId: string,
    manager?: EntityManager,
  ): Promise<ViewedCommunity | undefined> {
    const parameters = [...toViewerParameters(principal), communityId];
    if (!manager) return found.parse(await this.database.query(VIEW, parameters))[0];
    await queryRows(manager, LOCK, [communityId]);
    return found.parse(await queryRows(manager, VIEW, parameters))[0];
  }

  /** @throws AppError 404 for what the caller may not see, the same as for what does not exist */
  async requireViewer(
    principal: Principal,
    communityId: string,
    manager?: EntityManager,
  ): Promise<ViewedCommunity> {
    const community = await this.find(principal, communityId, manager);
    if (!community || !canView(community, community)) throw communityNotFound();
    return community;
  }

  /** For what only those who run it may see: administrators and attached applications. @throws AppError 404 for others */
  async requireManager(
    principal: Principal,
    communityId: string,
    manager?: EntityManager,
  ): Promise<ViewedCommunity> {
    const community = await this.requireViewer(principal, communityId, manager);
    if (!canManage(community)) throw communityNotFound();
    return community;
  }

  /** For what administrators change. @throws AppError 404 for what the caller may not see, 403 for what they may */
  async requireAdministrator(
    principal: Principal,
    communityId: string,
    manager?: EntityManager,
  ): Promise<ViewedCommunity> {
    const community = await this.requireViewer(principal, communityId, manager);
    if (!community.isAdministrator) throw administratorsOnly();
    return community;
  }

  /** For what its owner changes. @throws AppError 404 for what the caller may not see, 403 for what they may */
  async requireOwner(
    principal: Principal,
    communityId: string,
    manager?: EntityManager,
  ): Promise<ViewedCommunity> {
    const community = await this.requireViewer(principal, communityId, manager);
    if (!community.isOwner) throw ownerOnly();
    return community;
  }
}
